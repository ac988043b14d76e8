import type { ParseError } from './diagnostic.ts'

/** Searched for first: the patterns are slower than reading a large file. */
const markers = ['<<<<<<<', '=======', '>>>>>>>', '|||||||']

/** Finds a git conflict marker in text that does not parse. */
export function findConflictMarker(text: string): ParseError | undefined {
  if (!markers.some(marker => text.includes(marker))) return undefined
  return matchMarker(text, /(?<=^\uFEFF?|\n)(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n]|$)/)
}

/** Finds a git conflict marker in text that may contain rows of equals signs, such as underlined headings. */
export function findLabeledConflictMarker(text: string): ParseError | undefined {
  if (!text.includes('<<<<<<< ') && !text.includes('>>>>>>> ')) return undefined
  return matchMarker(text, /(?<=^\uFEFF?|\n)(?:<{7}|>{7}) /)
}

function matchMarker(text: string, pattern: RegExp): ParseError | undefined {
  const offset = text.search(pattern)
  if (offset === -1) return undefined
  return {
    code: 'merge-conflict',
    message: `unresolved merge conflict: the line starts with ${text.slice(offset, offset + 7)}`,
    hint: 'resolve the conflict and remove the lines with <<<<<<<, ======= and >>>>>>>',
    offset,
  }
}
