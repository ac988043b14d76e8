import { expect, test } from 'vitest'
import { writtenTypes } from '../../scripts/resource-types.ts'
import { phoneOutcomes } from '../../src/interface/phone-number.ts'
import { kindNames } from '../../src/interface/words.ts'

test('the package publishes the outcomes of a phone, the options, the faults and the requests that the sandbox has', () => {
  const { 'sandbox-parts': text = '' } = writtenTypes()
  const words = phoneOutcomes.map(word => JSON.stringify(word)).join(' | ')
  expect(text).toContain(`export type PhoneOutcome = ${words}\n`)
  expect(text).toContain('readonly outcome?: PhoneOutcome | readonly PhoneOutcome[] | undefined\n')
  expect(text).toContain('readonly "429"?: number | undefined\n')
  expect(text).toContain('readonly headers: { readonly [key: string]: string }\n')
  expect(text).toContain(
    '/** Default: a free one. From 0 to 65535 */\n  readonly port?: number | undefined\n',
  )
  expect(text).toContain('readonly numbers?: readonly PhoneNumber[] | undefined\n')
  expect(text).toContain('readonly env?: { readonly [key: string]: string | undefined } | undefined\n')
  expect(text).toContain('readonly assistant?: string | InlineAssistant | JsonObject | undefined\n')
  expect(text).toContain("import type { AssistantOverrides, InlineAssistant } from './resources.js'\n")
  expect(text).not.toContain('export interface InlineAssistant')
})

test('the package publishes every kind of file, and the options of a receiver', () => {
  const { resources: text = '' } = writtenTypes()
  expect(text).toContain(
    `export type KindName = ${kindNames.map(name => JSON.stringify(name)).join(' | ')}\n`,
  )
  expect(text).toContain('/** Id of the call */\n  readonly call?: string | undefined\n')
  expect(text).toContain('readonly maxBodyBytes?: number | undefined\n')
})
