import type { ParseError } from './diagnostic.ts'

/** First line with a git conflict marker, in a text that does not parse. */
export function anyConflictMarker(text: string): ParseError | undefined {
  return markerAt(text, /(?<=^\uFEFF?|\n)(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n]|$)/)
}

/** Like anyConflictMarker, for text that may have a row of equals signs: an underlined heading, a table cell. */
export function labeledConflictMarker(text: string): ParseError | undefined {
  // Matching a pattern against each line of a large file takes longer than reading it.
  if (!text.includes('<<<<<<< ') && !text.includes('>>>>>>> ')) return undefined
  return markerAt(text, /(?<=^\uFEFF?|\n)(?:<{7}|>{7}) /)
}

function markerAt(text: string, pattern: RegExp): ParseError | undefined {
  const offset = text.search(pattern)
  if (offset === -1) return undefined
  return {
    code: 'merge-conflict',
    message: `unresolved merge conflict: the line begins with ${text.slice(offset, offset + 7)}`,
    hint: 'resolve the conflict and remove the lines with <<<<<<<, ======= and >>>>>>>',
    offset,
  }
}
