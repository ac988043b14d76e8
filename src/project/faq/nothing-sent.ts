import { CallwrightError } from '../../lib/error.ts'

/** Nothing of this push was sent; what an earlier one left is kept where it was. */
export function nothingSent(error: CallwrightError, pendingFile?: string): CallwrightError {
  const { message, hint, kind, details } = error
  const kept =
    pendingFile === undefined
      ? ''
      : `; what an earlier push left to be finished is still kept in ${pendingFile}`
  return new CallwrightError(kind, `${message}\nnothing was sent${kept}`, { hint, details, cause: error })
}
