import type { Finding } from '../interface/finding.ts'
import type { Position } from './diagnostic.ts'

/** Something wrong at a place in a text. Without an offset it is about the whole file. */
export interface ParseError extends Partial<Finding> {
  readonly code: string
  readonly message: string
  readonly offset?: number | undefined
}

export const byteOrderMark = '\uFEFF'

/** Offsets of a text → line and column, both from 1. Lines are counted at the first question, then searched by halves. */
export function lineIndex(text: string): (offset: number) => Position {
  let starts: number[] | undefined
  return offset => {
    starts ??= lineStarts(text)
    const line = lastAtOrBefore(starts, offset)
    const start = starts[line] ?? 0
    // Editors do not show a byte order mark, so it takes no column.
    const hidden = line === 0 && offset > 0 && text.startsWith(byteOrderMark) ? 1 : 0
    return { line: line + 1, column: offset - start + 1 - hidden }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
