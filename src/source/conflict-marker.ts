import type { ParseError } from './diagnostic.ts'

/**
 * The first line that a merge conflict left in a text that does not parse: any of git's marks at the start of a line.
 */
export function anyConflictMarker(text: string): ParseError | undefined {
  return markerAt(text, /(?<=^\uFEFF?|\n)(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n]|$)/)
}

/** The same for a text in which a row of equals signs is no mark: an underlined heading, a cell of a table. */
export function labeledConflictMarker(text: string): ParseError | undefined {
  // Searching each line of a large file for a pattern takes longer than reading it.
  if (!text.includes('<<<<<<< ') && !text.includes('>>>>>>> ')) return undefined
  return markerAt(text, /(?<=^\uFEFF?|\n)(?:<{7}|>{7}) /)
}

function markerAt(text: string, pattern: RegExp): ParseError | undefined {
  const offset = text.search(pattern)
  if (offset === -1) return undefined
  return {
    code: 'merge-conflict',
    message: `unresolved merge conflict: the line begins with ${text.slice(offset, offset + 7)}`,
    hint: 'keep what both sides need, and remove the lines with <<<<<<<, ======= and >>>>>>>',
    offset,
  }
}
