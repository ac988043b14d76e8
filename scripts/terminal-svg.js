const [cellWidth, lineHeight, padding, titleHeight] = [8.4, 19, 16, 34]

/** The colours of a dark terminal, by their SGR numbers. */
const colors = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
}

/** The output of a program with SGR sequences (bold, dim, the named colours), as an SVG of a terminal of 80 columns. */
export function toSvg(output, title) {
  const lines = output.split('\n')
  const width = 80 * cellWidth + 2 * padding
  const height = titleHeight + lines.length * lineHeight + padding
  let style = {}
  const rows = lines.map((line, row) => {
    const y = titleHeight + (row + 0.75) * lineHeight
    let column = 0
    const runs = line.split(/(\x1b\[[\d;]*m)/).map(piece => {
      const codes = /^\x1b\[([\d;]*)m$/.exec(piece)?.[1]
      if (codes !== undefined) {
        for (const code of codes.split(';')) style = styled(style, Number(code))
        return ''
      }
      const [, indent, words] = /^( *)(.*)$/.exec(piece)
      const x = padding + (column + indent.length) * cellWidth
      column += piece.length
      return words === '' ? '' : textRun(words, { x, y, ...style })
    })
    return runs.join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${['#ff5f57', '#febc2e', '#28c840'].map((fill, index) => `<circle cx="${20 + index * 18}" cy="17" r="5.5" fill="${fill}"/>`).join('')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3" xml:space="preserve">
${rows.filter(row => row !== '').join('\n')}
</g>
</svg>
`
}

/** textLength keeps the columns where a font is wider or narrower than the cells. */
function textRun(words, { x, y, bold, dim, fill }) {
  const marks = `${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.6"' : ''}${fill ? ` fill="${fill}"` : ''}`
  const trimmed = words.trimEnd()
  const length = (trimmed.length * cellWidth).toFixed(1)
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${marks}>${escaped(trimmed)}</text>`
}

function styled(style, code) {
  if (code === 0) return {}
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, fill: undefined }
  if (code in colors) return { ...style, fill: colors[code] }
  throw new Error(`no style for SGR ${code}`)
}

function escaped(text) {
  if (/[^\x20-\x7e\u00a0-\uffff]/.test(text)) throw new Error(`no plain text: ${JSON.stringify(text)}`)
  return text.replace(/[&<>"]/g, character => `&#${character.codePointAt(0)};`)
}
