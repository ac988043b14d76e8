import { expectTypeOf, test } from 'vitest'
import type { PhoneOutcome as PublicOutcome } from '../../src/library/public-sandbox.ts'
import type { PhoneOutcome } from '../../src/sandbox/engine/phone-outcome.ts'

test('the outcomes of a phone that the package publishes are those of the sandbox', () => {
  expectTypeOf<PublicOutcome>().toEqualTypeOf<PhoneOutcome>()
})
