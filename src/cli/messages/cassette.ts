import type { CassetteErrors, CassetteFindings } from '../../scenario/index.ts'
import type { Messages } from './words.ts'

/** The words for a cassette that cannot be read or written. */
export const cassetteMessages: Messages<CassetteErrors> = {
  'cassette-unreadable': ({ file, reason }) => ({
    message: `${file} cannot be read: ${reason}`,
    hint: 'check its permissions, and that it is a file',
  }),
  'cassette-locked': ({ file }) => ({
    message: `${file} is held by another run of callwright`,
    hint: 'wait until it is done, and run callwright test -u again',
  }),
}

const writeAgain = 'callwright test -u writes the file again, and asks the model for what is lost'

/** The words for lines of a cassette that cannot be read. */
export const cassetteFindings: Messages<CassetteFindings> = {
  'torn-line': () => ({
    message: 'the last line is cut off: writing it was interrupted',
    hint: writeAgain,
  }),
  'merge-conflict': () => ({
    message: 'this marks a conflict that git could not merge',
    hint: 'remove the lines with the marks, and keep those of both sides: a cassette is the union of its lines',
  }),
  'foreign-line': () => ({
    message: 'this is not a line of a cassette',
    hint: `remove it; or ${writeAgain}`,
  }),
  'other-version': () => ({
    message: 'this cassette has a version that this callwright does not know',
    hint: 'use the callwright that wrote it, or a newer one',
  }),
}
