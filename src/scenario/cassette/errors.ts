import { errorsOf } from '../../lib/error.ts'

/** What can be wrong with a line of a cassette: the words stand in src/cli/messages. */
export type CassetteFindings = {
  /** The last line has no end: a program was killed while it wrote, or the disk was full. */
  'torn-line': Record<never, never>
  'merge-conflict': Record<never, never>
  'foreign-line': Record<never, never>
  /** Written by a later version. */
  'other-version': Record<never, never>
}

/** How reading and writing a cassette fails. */
export type CassetteErrors = {
  /** `reason` is the system's. */
  'cassette-unreadable': { readonly file: string; readonly reason: string }
  'cassette-locked': { readonly file: string }
}

export const cassetteError = errorsOf<CassetteErrors>()
