import type { ErrorCodes } from '../../lib/error.ts'

export interface MessageText {
  readonly message: string
  readonly hint?: string | undefined
}

/** Messages for each code of a module. `cause` is the message of the error's cause, empty if there is none. */
export type Messages<Codes extends ErrorCodes> = {
  readonly [Code in keyof Codes]: (details: Codes[Code], cause: MessageText) => MessageText
}
