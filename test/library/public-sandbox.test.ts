import { expect, expectTypeOf, test } from 'vitest'
import { writtenTypes } from '../../scripts/resource-types.ts'
import { phoneOutcomes } from '../../src/interface/phone-number.ts'
import type { KindName } from '../../src/interface/words.ts'
import type { KindName as PublishedKindName } from '../../src/library/public-types.ts'

test('the package publishes the outcomes of a phone, the faults and the requests that the sandbox has', () => {
  const { 'sandbox-parts': text = '' } = writtenTypes()
  const words = phoneOutcomes.map(word => JSON.stringify(word)).join(' | ')
  expect(text).toContain(`export type PhoneOutcome = ${words}\n`)
  expect(text).toContain('readonly outcome?: PhoneOutcome | readonly PhoneOutcome[] | undefined\n')
  expect(text).toContain('readonly "429"?: number | undefined\n')
  expect(text).toContain('readonly headers: { readonly [key: string]: string }\n')
})

test('the package publishes every kind of file', () => {
  expectTypeOf<PublishedKindName>().toEqualTypeOf<KindName>()
})
