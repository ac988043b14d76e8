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

/** How writing a cassette fails. */
export type CassetteErrors = {
  'cassette-locked': { readonly file: string }
}

export const cassetteError = errorsOf<CassetteErrors>()
