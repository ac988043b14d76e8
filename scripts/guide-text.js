// Lays out sections of a guide for a terminal of 80 columns: a help topic that a guide explains prints them.
import { lexer } from 'marked'

/** @typedef {import('marked').MarkedToken} Block */
/** @typedef {readonly import('marked').Token[]} Tokens */

const columns = 80
/** Columns left of the text below a heading. */
const margin = 2
/** Longest code that stays on one line, in a cell of a table and elsewhere. */
const unbrokenCode = { cell: 24, text: 60 }
/** Stands for a space at which no line is broken: a command in a sentence stays whole. */
const unbroken = '\u001f'

/**
 * Returns the sections of a Markdown page with these headings, each with its subsections, as plain text.
 * @param {string} page
 * @param {readonly string[]} headings
 */
export function guideText(page, headings) {
  const tokens = lexer(page)
  return headings
    .flatMap(heading => sectionOf(tokens, heading))
    .map(token =>
      token.type === 'heading'
        ? `${inline(token.tokens).toUpperCase()}\n`
        : indented(blockLines(token, columns - margin), ' '.repeat(margin)),
    )
    .filter(block => block !== '')
    .join('\n')
    .replace(/(^[^ \n].*\n)\n/gm, '$1')
    .replaceAll(unbroken, ' ')
}

/**
 * @param {readonly string[]} lines
 * @param {string} lead
 * @param {string} [first]
 */
function indented(lines, lead, first = lead) {
  return lines.map((line, index) => (line === '' ? '\n' : `${index === 0 ? first : lead}${line}\n`)).join('')
}

/**
 * @param {Tokens} tokens
 * @param {string} heading
 */
function sectionOf(tokens, heading) {
  const start = tokens.findIndex(token => token.type === 'heading' && token.text === heading)
  const first = tokens[start]
  if (first?.type !== 'heading') throw new Error(`the guide has no section ${heading}`)
  const next = tokens.findIndex(
    (token, index) => index > start && token.type === 'heading' && token.depth <= first.depth,
  )
  return /** @type {Block[]} */ (tokens.slice(start, next === -1 ? undefined : next))
}

/**
 * @param {Block} token
 * @param {number} width
 * @returns {string[]}
 */
function blockLines(token, width) {
  if (token.type === 'paragraph') {
    const text = inline(token.tokens)
    return text === '' ? [] : wrap(text, width)
  }
  if (token.type === 'text') return wrap(inline(token.tokens ?? [token]), width)
  if (token.type === 'code') return codeLines(token, width - 2).map(line => (line === '' ? '' : `  ${line}`))
  if (token.type === 'table') return tableLines(token, width)
  if (token.type === 'list') return token.items.flatMap((item, index) => itemLines(item, width, token, index))
  if (token.type === 'html' || token.type === 'space') return []
  throw new Error(`a help topic cannot show ${token.type}`)
}

/**
 * Lines of code as they are. Printed output is wrapped as a terminal does.
 * @param {import('marked').Tokens.Code} code
 * @param {number} width
 */
function codeLines({ lang, text }, width) {
  const lines = text.split('\n')
  if (lang !== 'text' && lang !== 'console') return lines
  return lines.flatMap(line => {
    const rows = []
    let rest = line
    while (widthOf(rest) > width) {
      const end = rest.lastIndexOf(' ', width)
      rows.push(rest.slice(0, end))
      rest = `${/^ */.exec(line)?.[0] ?? ''}  ${rest.slice(end + 1)}`
    }
    return [...rows, rest]
  })
}

/**
 * @param {import('marked').Tokens.ListItem} item
 * @param {number} width
 * @param {import('marked').Tokens.List} list
 * @param {number} index
 */
function itemLines({ tokens }, width, { ordered, start }, index) {
  const mark = ordered ? `${Number(start) + index}. ` : '- '
  const room = width - mark.length
  const blocks = tokens
    .map(token => blockLines(/** @type {Block} */ (token), room))
    .filter(block => block.length > 0)
  const lines = blocks.flatMap((block, position) => (position === 0 ? block : ['', ...block]))
  return indented(lines, ' '.repeat(mark.length), mark).trimEnd().split('\n')
}

/**
 * Columns side by side, the widest ones wrapped.
 * @param {import('marked').Tokens.Table} table
 * @param {number} width
 */
function tableLines({ header, rows }, width) {
  const cells = [header, ...rows].map(row => row.map(({ tokens }) => inline(tokens, unbrokenCode.cell)))
  const room = width - 2 * (header.length - 1)
  const widths = header.map((_, column) => Math.max(...cells.map(row => widthOf(row[column] ?? ''))))
  const least = header.map((_, column) =>
    Math.max(...cells.flatMap(row => (row[column] ?? '').split(' ').map(widthOf))),
  )
  for (let total = sum(widths); total > room; total--) {
    const spare = widths.map((natural, column) => (natural > (least[column] ?? 0) ? natural : 0))
    const widest = spare.indexOf(Math.max(...spare))
    if (spare[widest] === 0)
      throw new Error(`a table is too wide for ${columns} columns: ${cells[0]?.join(', ')}`)
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return cells.flatMap(row => {
    const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? 0))
    const height = Math.max(...wrapped.map(lines => lines.length))
    return Array.from({ length: height }, (_, line) =>
      wrapped
        .map((lines, column) => pad(lines[line] ?? '', widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  })
}

/**
 * Text of a paragraph or a cell. Links to other pages keep their target.
 * @param {Tokens} tokens
 * @returns {string}
 */
function inline(tokens, unbrokenLength = unbrokenCode.text) {
  const nested = (/** @type {Tokens} */ inner = []) => inline(inner, unbrokenLength)
  return tokens
    .map(token => {
      if (token.type === 'codespan')
        return token.text.length > unbrokenLength ? token.text : token.text.replaceAll(' ', unbroken)
      if (token.type === 'link') {
        const page = token.href.replace(/#.*$/, '')
        const where = page === '' ? '' : ` (${/^[a-z]+:/.test(page) ? page : `docs/${page}`})`
        return nested(token.tokens) + where
      }
      if (token.type === 'strong' || token.type === 'em') return nested(token.tokens)
      // A picture.
      if (token.type === 'html') return ''
      if (token.type === 'text' || token.type === 'escape') return token.text.replaceAll('\n', ' ')
      throw new Error(`a help topic cannot show ${token.type}`)
    })
    .join('')
}

/**
 * @param {string} text
 * @param {number} width
 */
function wrap(text, width) {
  const lines = ['']
  for (const word of text.split(' ').filter(word => word !== '')) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/**
 * @param {string} text
 * @param {number} width
 */
function pad(text, width) {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Columns of a text; guides have no wide characters. @param {string} text */
function widthOf(text) {
  return [...text].length
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
