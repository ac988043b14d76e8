import { escapeForTerminal } from './escape.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blueBright' | 'cyan' | 'magenta'

/** Functions that add the SGR codes of a style to a text; see colors.ts. */
export type Colors = Readonly<Record<Style, (text: string) => string>>

interface Span {
  readonly style: Style | 'whole' | 'advice'
  readonly text: Text
}

/**
 * Text on its way to a terminal. A plain string is always hostile: it is escaped when painted. Color exists only as a
 * span, so a remote string cannot carry any.
 */
export type Text = string | Span | readonly Text[]

const styled =
  (style: Span['style']) =>
  (...text: Text[]): Text => ({ style, text })

export const bold = styled('bold')
export const dim = styled('dim')
export const red = styled('red')
export const green = styled('green')
export const yellow = styled('yellow')
/** Bright, because plain blue is hard to read on black. */
export const blue = styled('blueBright')
export const cyan = styled('cyan')
export const magenta = styled('magenta')
/** Keeps lines that a person may copy, such as commands or JSON, from being wrapped. */
export const whole = styled('whole')

/** Text with commands to run next, which are shown as callyard was started. All of stderr is such text. */
export const advice = styled('advice')

/** Stands in painted text for a space at which no line is broken. It is escaped in every string. */
export const unbrokenSpace = '\u001f'

/** Template for lines with styled parts: text`Created ${bold(name)}`. */
export function text(strings: TemplateStringsArray, ...values: Text[]): Text {
  return strings.flatMap((part, index) => [part, values[index] ?? ''])
}

/** Joins lines, or pieces with another separator. */
export function join(pieces: readonly Text[], separator = '\n'): Text {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]))
}

/**
 * Text with a margin of `indent` columns for all its lines. The writer wraps it on narrow terminals; text in columns uses `hang` in
 * layout.ts.
 */
export function indented(
  margin: Text,
  indent: number,
  words: string,
  style: (line: Text) => Text = line => line,
): Text {
  const safe = escapeForTerminal(words.replaceAll('\r\n', '\n'), { allowedCharacters: '\n' })
  const lines = safe.split('\n').map(line => (line === '' ? '' : style(line)))
  return [margin, join(lines, `\n${' '.repeat(indent)}`)]
}

interface Painting {
  readonly color: Colors | false
  /** True to wrap lines; `whole` text gets non-breaking spaces. */
  readonly wraps?: boolean
  /** Converts each plain text inside `suggest`. */
  readonly convert?: ((text: string) => string) | undefined
}

/** The only place where text becomes bytes: escapes every string, adds SGR codes where color is on. */
export function paint(value: Text, painting: Painting, isAdvice = false): string {
  const { color, wraps, convert } = painting
  if (typeof value === 'string')
    return escapeForTerminal(isAdvice && convert !== undefined ? convert(value) : value, {
      allowedCharacters: '\n\t',
    })
  if (!('style' in value)) return value.map(piece => paint(piece, painting, isAdvice)).join('')
  const inner = paint(value.text, painting, isAdvice || value.style === 'advice')
  if (value.style === 'advice') return inner
  if (value.style === 'whole') return wraps === true ? inner.replaceAll(' ', unbrokenSpace) : inner
  return color === false || inner === '' ? inner : color[value.style](inner)
}
