import { bisectRight } from 'd3-array'

/** 1-based; columns count UTF-16 code units, as in editors. */
export interface Position {
  readonly line: number
  readonly column: number
}

export const byteOrderMark = '\uFEFF'

export function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

/** Removes a byte order mark, and makes LF of the line ends CRLF and CR: git on Windows converts those of a whole project. */
export function plainText(text: string): string {
  return withoutMark(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
}

/** Creates a function from offset to position. Lines are indexed on first use, then binary-searched. */
export function createLineIndex(text: string): (offset: number) => Position {
  let starts: Uint32Array | undefined
  return offset => {
    starts ??= lineStarts(text)
    const line = Math.max(0, bisectRight(starts, offset) - 1)
    const start = starts[line] ?? 0
    // Editors do not count a byte order mark as a column.
    const hidden = line === 0 && offset > 0 && text.startsWith(byteOrderMark) ? 1 : 0
    return { line: line + 1, column: offset - start + 1 - hidden }
  }
}

function lineStarts(text: string): Uint32Array {
  let lines = 1
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines += 1
  const starts = new Uint32Array(lines)
  let line = 1
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts[line++] = end + 1
  return starts
}
