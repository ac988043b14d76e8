import stringWidth from 'string-width'
import { escapeForTerminal } from './escape.ts'
import { join, type Text } from './text.ts'
import { cut, wrap } from './wrap.ts'

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
  const safe = layable(words)
  const beside = width - indent >= narrowestText
  const left = beside ? indent : 2
  const lines = wrap(safe, Math.max(1, width - left))
  const styled = lines.map(line => (line === '' ? '' : style(line)))
  return beside
    ? [margin, join(styled, `\n${' '.repeat(left)}`)]
    : [margin, ...styled.map(line => [`\n${' '.repeat(left)}`, line])]
}

/** Escaped before it is measured: an escape sequence must not count as nothing. */
export function layable(words: string): string {
  return escapeForTerminal(words.replaceAll('\r\n', '\n'), { keep: '\n' })
}

export function plain(line: Text): Text {
  return line
}

/** Columns that words take on a terminal, once escaped. */
export function widthOf(words: string): number {
  return stringWidth(escapeForTerminal(words))
}

/** Text of exactly `columns` columns: padded, or cut with an ellipsis. */
export function inColumns(words: string, columns: number): string {
  const fitting = cut(escapeForTerminal(words), columns)
  return fitting + ' '.repeat(Math.max(0, columns - stringWidth(fitting)))
}

const maxExcerptLength = 300

/** Enough to see what it is; `--json` has all of it. */
export function excerpt(words: string): string {
  const characters = [...words]
  return characters.length <= maxExcerptLength
    ? words
    : `${characters.slice(0, maxExcerptLength).join('')}… (--json shows all)`
}
