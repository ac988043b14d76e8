import type { FailureCode, FailureDetails } from '../verdict.ts'

/** What is wrong with an expectation; undefined: nothing. Where it stands is added by who asks. */
export type Found =
  | {
      readonly [Code in FailureCode]: { readonly code: Code; readonly details: FailureDetails[Code] }
    }[FailureCode]
  | undefined
