import { bisectRight } from 'd3-array'

/** 1-based; columns count UTF-16 code units, as in editors. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface Positioned {
  /** Undefined if the file could not be read. */
  readonly position?: Position | undefined
}

export function comparePositions({ position: one }: Positioned, { position: other }: Positioned): number {
  return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0)
}

export const byteOrderMark = '\uFEFF'

export function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

/** Removes a byte order mark, and makes LF of the line ends. */
export function plainText(text: string): string {
  return withoutMark(withLineFeeds(text))
}

/** Makes LF of the line ends CRLF and CR: git on Windows converts those of a whole project. */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** Creates a function from offset to position. Lines are indexed on first use, then binary-searched. */
export function createLineIndex(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined
  return offset => {
    starts ??= lineStarts(text)
    const line = Math.max(0, bisectRight(starts, offset) - 1)
    const start = starts[line] ?? 0
    // Editors do not count a byte order mark as a column.
    const hidden = line === 0 && offset > 0 && text.startsWith(byteOrderMark) ? 1 : 0
    return { line: line + 1, column: offset - start + 1 - hidden }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let end = 0; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(end + 1) !== lineFeed))
      starts.push(end + 1)
  }
  return starts
}

/** Returns the number of the line at each offset in bytes, from 1. Linear. */
export function lineNumbers(utf8: Buffer, offsets: readonly number[]): Uint32Array {
  const lines = new Uint32Array(offsets.length)
  let line = 1
  let at = 0
  for (const [index, offset] of offsets.entries()) {
    for (; at < offset; at += 1)
      if (utf8[at] === lineFeed || (utf8[at] === carriageReturn && utf8[at + 1] !== lineFeed)) line += 1
    lines[index] = line
  }
  return lines
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
