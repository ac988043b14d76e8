import type { ErrorCodes } from '../lib/error.ts'

/** What a person reads of an error. */
export interface Words {
  /** What happened, and where. */
  readonly message: string
  /** What to do next. */
  readonly hint?: string | undefined
}

/** The words for each code of a module. `cause` is what its cause says; an empty message where it has none. */
export type Messages<Codes extends ErrorCodes> = {
  readonly [Code in keyof Codes]: (details: Codes[Code], cause: Words) => Words
}
