import stringWidth from 'string-width'
import { lazy } from '../lazy.ts'
import { escapeForTerminal } from './escape.ts'
import { join, type Text } from './text.ts'
import { truncate } from './truncate.ts'

/** Width of the speaker column in front of messages. */
export const labelWidth = 'assistant'.length
/** Below this a column of text beside its speaker is no longer readable. */
const narrowestText = 20

/** Wraps words next to a margin text; in a narrow terminal below it. */
export function hang(
  margin: Text,
  indent: number,
  words: string,
  width: number,
  style: (line: Text) => Text,
): Text {
  const safe = clampForLayout(words)
  const beside = width - indent >= narrowestText
  const left = beside ? indent : 2
  const lines = wrap(safe, Math.max(1, width - left))
  const styledLines = lines.map(line => (line === '' ? '' : style(line)))
  return beside
    ? [margin, join(styledLines, `\n${' '.repeat(left)}`)]
    : [margin, ...styledLines.map(line => [`\n${' '.repeat(left)}`, line])]
}

/** Escaped before it is measured: an escape sequence must not count as nothing. */
export function clampForLayout(words: string): string {
  return escapeForTerminal(words.replaceAll('\r\n', '\n'), { allowedCharacters: '\n' })
}

export function plain(line: Text): Text {
  return line
}

/** Columns that words take on a terminal, once escaped. */
export function widthOf(words: string): number {
  return shownWidth(escapeForTerminal(words))
}

/** Columns that escaped text takes on a terminal. Takes linear time, which measuring a long text as a whole does not. */
export function shownWidth(words: string): number {
  if (isNarrow(words)) return words.length
  // A single character is measured often.
  const cachedWidth = widths.get(words)
  if (cachedWidth !== undefined) return cachedWidth
  let width = 0
  for (const cluster of clustersOf(words)) width += clusterWidth(cluster)
  return width
}

/** Text of exactly `columns` columns: padded, or cut with an ellipsis. */
export function inColumns(words: string, columns: number): string {
  const fitting = cut(escapeForTerminal(words), columns)
  return fitting + ' '.repeat(Math.max(0, columns - shownWidth(fitting)))
}

const maxExcerptLength = 300

/** Enough to see what it is; `--json` has all of it. */
export function excerpt(words: string, maxLength = maxExcerptLength): string {
  return truncate(words, maxLength, '… (--json shows all)')
}

/**
 * Wraps text to lines of at most `columns` columns: at spaces, within a word only if it is longer than a line, and never within a
 * grapheme unless it is wider than a line. Takes escaped text. Keeps newlines, and drops spaces at line breaks and around lines.
 */
export function wrap(words: string, columns: number): string[] {
  return words.split('\n').flatMap(line => wrapLine(line, columns))
}

/** The text, if it takes at most `columns` columns; else its beginning with an ellipsis. Takes escaped text. */
export function cut(words: string, columns: number): string {
  let head = ''
  let width = 0
  let short = ''
  for (const cluster of clustersOf(words)) {
    if (width <= columns - 1) short = head
    head += cluster
    width += clusterWidth(cluster)
    if (width > columns) return columns < 1 ? '' : `${short}…`
  }
  return head
}

function wrapLine(line: string, columns: number): string[] {
  if (line.length <= columns && isNarrow(line)) return [line.trim()]
  const rows: string[] = []
  let row = ''
  let width = 0
  let spaces = 0
  const end = () => {
    rows.push(row)
    row = ''
    width = 0
    spaces = 0
  }
  // A space that carries a mark is part of a word.
  for (const [index, word] of line.split(/ (?!\p{M})/u).entries()) {
    // In front of a row it would be seen as an indent.
    if (index > 0 && row !== '') spaces++
    if (word === '') continue
    const pieces = piecesOf(word, columns)
    const whole = pieces.reduce((sum, piece) => sum + piece.width, 0)
    const room = columns - width - spaces
    if (row !== '' && whole > room && !savesRow(whole, room, columns)) end()
    for (const piece of pieces) {
      if (row !== '' && width + spaces + piece.width > columns) end()
      row += ' '.repeat(spaces) + piece.text
      width += spaces + piece.width
      spaces = 0
    }
  }
  if (row !== '' || rows.length === 0) end()
  return rows
}

/** True if a word that is too wide for any row takes fewer rows when it starts in this one. */
function savesRow(whole: number, room: number, columns: number): boolean {
  return whole > columns && room > 0 && 1 + Math.ceil((whole - room) / columns) <= Math.ceil(whole / columns)
}

/** A word that must not be broken, except for a character wider than a row. */
function piecesOf(word: string, columns: number) {
  if (word.length <= columns && isNarrow(word)) return [{ text: word, width: word.length }]
  return Array.from(clustersOf(word)).flatMap(cluster => {
    const width = clusterWidth(cluster)
    if (width <= columns) return [{ text: cluster, width }]
    return Array.from(cluster, text => ({ text, width: stringWidth(text) }))
  })
}

/** Creating the first one takes as long as starting Node, so it is created for the first text that needs it. */
const graphemes = lazy(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }))
/** Code units that are segmented at a time: one step of a segmenter takes longer, the longer its text is. */
const segmentedAtOnce = 512

/** Yields grapheme clusters, each shown as one character. */
export function* clustersOf(words: string): Generator<string> {
  if (isNarrow(words)) return yield* words
  let start = 0
  let length = segmentedAtOnce
  while (start < words.length) {
    const end = betweenPairs(words, start + length)
    let last = ''
    for (const { segment } of graphemes().segment(words.slice(start, end))) {
      if (last !== '') yield last
      start += last.length
      last = segment
    }
    // The last one may continue after the end.
    const isWhole = end === words.length
    if (isWhole) yield last
    start = isWhole ? end : start
    length = last.length >= length / 2 ? 2 * length : segmentedAtOnce
  }
}

/** The place, or the one after it where it would part a surrogate pair. */
function betweenPairs(words: string, index: number): number {
  if (index >= words.length) return words.length
  const unit = words.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff ? index + 1 : index
}

/**
 * True for text in Latin letters, with the punctuation, arrows and lines that commands print: each code unit is a cluster of one column.
 * Escaped text has no CR LF, the only cluster of two ASCII characters.
 */
function isNarrow(words: string): boolean {
  return /^[\x20-\x7e\xa1-\xac\xae-\u024f\u2010-\u2027\u2190-\u2193\u2500-\u25fc\u2713\u2717]*$/.test(words)
}

const widths = new Map<string, number>()
const maxWidths = 4096
const maxKeptLength = 8

function clusterWidth(cluster: string): number {
  if (cluster.length === 1 && isNarrow(cluster)) return 1
  const cachedWidth = widths.get(cluster)
  if (cachedWidth !== undefined) return cachedWidth
  const width = stringWidth(cluster)
  if (cluster.length <= maxKeptLength) {
    if (widths.size >= maxWidths) widths.clear()
    widths.set(cluster, width)
  }
  return width
}
