import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { escapeForTerminal } from './escape.ts'
import { join, type Text } from './text.ts'

/** Columns of the speaker in front of what is said. */
export const labelWidth = 'assistant'.length
/** Below this a column of text beside its speaker is no longer readable. */
const narrowestText = 20

/** Words beside what stands in the margin, wrapped under themselves; in a narrow terminal below it. */
export function hang(
  margin: Text,
  indent: number,
  words: string,
  width: number,
  style: (line: Text) => Text,
): Text {
  // Escaped before it is measured: an escape sequence must not count as nothing, nor wrap-ansi act upon it.
  const safe = escapeForTerminal(words.replaceAll('\r\n', '\n'), { keep: '\n' })
  const beside = width - indent >= narrowestText
  const left = beside ? indent : 2
  const lines = wrap(safe, Math.max(1, width - left))
  const styled = lines.map(line => (line === '' ? '' : style(line)))
  return beside
    ? [margin, join(styled, `\n${' '.repeat(left)}`)]
    : [margin, ...styled.map(line => [`\n${' '.repeat(left)}`, line])]
}

/** wrap-ansi adds up the widths of words; a mark that joins the space before it makes the whole wider than its parts. */
function wrap(words: string, columns: number): string[] {
  for (let narrower = columns; ; narrower--) {
    const lines = wrapAnsi(words, narrower, { hard: true, trim: true }).split('\n')
    if (narrower === 1 || lines.every(line => stringWidth(line) <= columns)) return lines
  }
}

export function plain(line: Text): Text {
  return line
}

/** Columns that words take on a terminal, once escaped. */
export function widthOf(words: string): number {
  return stringWidth(escapeForTerminal(words))
}

/** Exactly so many columns: padded, or cut with an ellipsis. */
export function inColumns(words: string, columns: number): string {
  const safe = escapeForTerminal(words)
  const width = stringWidth(safe)
  if (width <= columns) return safe + ' '.repeat(columns - width)
  let cut = ''
  for (const character of safe) {
    if (stringWidth(cut + character) > columns - 1) break
    cut += character
  }
  return `${cut}…${' '.repeat(columns - 1 - stringWidth(cut))}`
}

const longestExcerpt = 300

/** Enough to see what it is; `--json` has all of it. */
export function excerpt(words: string): string {
  const characters = [...words]
  return characters.length <= longestExcerpt
    ? words
    : `${characters.slice(0, longestExcerpt).join('')}… (--json shows all)`
}
