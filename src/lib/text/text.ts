import { inspect } from 'node:util'
import { escapeForTerminal } from './escape.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta'

interface Span {
  readonly style: Style
  readonly text: Text
}

/**
 * Text on its way to a terminal. A plain string is always hostile: it is escaped when painted. Colour exists only as a
 * span, so a remote string cannot carry any.
 */
export type Text = string | Span | readonly Text[]

const styled =
  (style: Style) =>
  (...text: Text[]): Text => ({ style, text })

export const bold = styled('bold')
export const dim = styled('dim')
export const red = styled('red')
export const green = styled('green')
export const yellow = styled('yellow')
export const cyan = styled('cyan')
export const magenta = styled('magenta')

/** Template for lines with styled parts: text`Created ${bold(name)}`. */
export function text(strings: TemplateStringsArray, ...values: Text[]): Text {
  return strings.flatMap((part, index) => [part, values[index] ?? ''])
}

/** Joins pieces with a separator, as Array.join does for strings. */
export function join(pieces: readonly Text[], separator: string): Text {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]))
}

/** The only place where text becomes bytes: escapes every string, adds SGR codes where colour is on. */
export function paint(value: Text, { color }: { color: boolean }): string {
  if (typeof value === 'string') return escapeForTerminal(value, { keep: '\n\t' })
  if (isSpan(value)) {
    const inner = paint(value.text, { color })
    return color ? encoded(inner, value.style) : inner
  }
  return value.map(piece => paint(piece, { color })).join('')
}

/** A text with the SGR codes of a style around each of its lines; what ends a style within begins this one again. */
function encoded(painted: string, style: Style): string {
  const [begin, end] = (inspect.colors[style] ?? []).map(code => `\x1b[${code}m`)
  if (painted === '' || begin === undefined || end === undefined) return painted
  return `${begin}${painted.replaceAll(end, end + begin).replaceAll('\n', `${end}\n${begin}`)}${end}`
}

function isSpan(value: Exclude<Text, string>): value is Span {
  return 'style' in value
}
