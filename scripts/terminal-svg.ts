const [cellWidth, lineHeight, padding, titleHeight, columns] = [8.4, 19, 16, 34, 80]

/** The colours of a dark terminal, by their SGR numbers. */
const colors: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
}

interface Style {
  readonly bold?: boolean
  readonly dim?: boolean
  readonly fill?: string
}

/**
 * Renders the output of a program on a terminal of 80 columns as SVG: text with SGR sequences for bold, dim and the named colors. With
 * `seconds`, each line appears at its time, or immediately for readers who prefer reduced motion.
 * @throws Error for any other control sequence, which would be shown as text
 */
export function toSvg(output: string, title: string, seconds?: readonly number[]): string {
  const rows = output.split('\n').map(rowsOf)
  const lines = rows.flat()
  const times = rows.flatMap((line, index) => line.map(() => seconds?.[index]))
  const width = columns * cellWidth + 2 * padding
  const height = titleHeight + lines.length * lineHeight + padding
  let style: Style = {}
  const runs = lines.map((line, row) => {
    const y = titleHeight + (row + 0.75) * lineHeight
    let column = 0
    const pieces = line.split(/(\x1b\[[\d;]*m)/).map(piece => {
      const codes = /^\x1b\[([\d;]*)m$/.exec(piece)?.[1]
      if (codes !== undefined) {
        style = codes.split(';').map(Number).reduce(styled, style)
        return ''
      }
      const words = piece.trim()
      const x = padding + (column + piece.length - piece.trimStart().length) * cellWidth
      column += piece.length
      return words === '' ? '' : textRun(words, x, y, style)
    })
    const drawn = pieces.filter(run => run !== '').join('\n')
    const at = times[row]
    return at === undefined || drawn === ''
      ? drawn
      : `<g style="animation-delay: ${at.toFixed(2)}s">${drawn}</g>`
  })
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${20 + index * 18}" cy="17" r="5.5" fill="${fill}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${buttons.join('')}${seconds === undefined ? '' : motion}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
${runs.filter(run => run !== '').join('\n')}
</g>
</svg>
`
}

const motion = `
<style>g g { opacity: 0; animation: appear 0.2s forwards } @keyframes appear { to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { g g { opacity: 1; animation: none } }</style>`

/** A line as the rows that a terminal shows it in. */
function rowsOf(line: string): string[] {
  const rows = ['']
  let column = 0
  for (const piece of line.match(/\x1b\[[\d;]*m|./gu) ?? []) {
    if (piece.length === 1 && ++column > columns) {
      rows.push('')
      column = 1
    }
    rows[rows.length - 1] += piece
  }
  return rows
}

/** textLength keeps the columns where a font is wider or narrower than the cells. */
function textRun(words: string, x: number, y: number, { bold, dim, fill }: Style): string {
  const marks = [
    bold ? ' font-weight="bold"' : '',
    dim ? ' opacity="0.6"' : '',
    fill === undefined ? '' : ` fill="${fill}"`,
  ].join('')
  const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${(words.length * cellWidth).toFixed(1)}"`
  return `<text ${place} lengthAdjust="spacingAndGlyphs" xml:space="preserve"${marks}>${escaped(words)}</text>`
}

function styled({ fill, ...style }: Style, code: number): Style {
  const color = fill === undefined ? {} : { fill }
  if (code === 0) return {}
  if (code === 1) return { ...style, ...color, bold: true }
  if (code === 2) return { ...style, ...color, dim: true }
  if (code === 22) return color
  if (code === 39) return style
  const named = colors[code]
  if (named === undefined) throw new Error(`no style for SGR ${code}`)
  return { ...style, fill: named }
}

function escaped(text: string): string {
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw new Error(`a control character in ${JSON.stringify(text)}`)
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}
