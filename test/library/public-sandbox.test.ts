import { expect, test } from 'vitest'
import { writtenTypes } from '../../scripts/resource-types.ts'
import { phoneOutcomes } from '../../src/interface/phone-number.ts'
import { kindNames } from '../../src/interface/words.ts'

test('the package publishes the outcomes of a phone, the faults and the requests that the sandbox has', () => {
  const { 'sandbox-parts': text = '' } = writtenTypes()
  const words = phoneOutcomes.map(word => JSON.stringify(word)).join(' | ')
  expect(text).toContain(`export type PhoneOutcome = ${words}\n`)
  expect(text).toContain('readonly outcome?: PhoneOutcome | readonly PhoneOutcome[] | undefined\n')
  expect(text).toContain('readonly "429"?: number | undefined\n')
  expect(text).toContain('readonly headers: { readonly [key: string]: string }\n')
})

test('the package publishes every kind of file, and the options of a receiver', () => {
  const { resources: text = '' } = writtenTypes()
  expect(text).toContain(
    `export type KindName = ${kindNames.map(name => JSON.stringify(name)).join(' | ')}\n`,
  )
  expect(text).toContain('/** Id of the call. */\n  readonly call?: string | undefined\n')
  expect(text).toContain('readonly maxBodyBytes?: number | undefined\n')
})
