import { createHash } from 'node:crypto'
import { escapeForTerminal } from './escape.ts'
import type { VNode } from './virtual-node.ts'

interface Page {
  readonly title: string
  /** CSS of our own, beside that of every page. */
  readonly style: string
  /** JavaScript of our own. Default: none. */
  readonly script?: string
  readonly body: Markup
}

/** Returns a page that loads nothing, with a policy that allows only its own style and script. */
export function htmlPage({ title, style: ownStyle, script, body }: Page): string {
  const style = commonStyle + ownStyle
  const scriptPolicy = script === undefined ? '' : ` script-src ${hashOf(script)};`
  const policy = `default-src 'none'; style-src ${hashOf(style)};${scriptPolicy} base-uri 'none'; form-action 'none'`
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: style }}</style>
</head>
<body>
<main>
${body}
</main>${script === undefined ? nothing : { html: `\n<script>${script}</script>` }}
</body>
</html>`.html
}

function hashOf(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
}

/** Contrast is at least 4.5 to 1 in both color schemes; no meaning hangs on color alone. */
const commonStyle = `
:root { color-scheme: light dark; --page: #fff; --text: #1b1b1f; --faint: #5a5a66; --line: #d5d5dd; --caller: #1a7f37; --assistant: #0b62b0 }
@media (prefers-color-scheme: dark) {
  :root { --page: #131316; --text: #ececf1; --faint: #a9a9b6; --line: #3a3a44; --caller: #5fd07f; --assistant: #6cb6ff }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { margin: 0 auto; padding: 1rem }
h1 { font-size: 1.4rem; line-height: 1.25 }
h2 { font-size: 1.15rem; margin-top: 2rem }
h3 { font-size: 1rem }
a { color: var(--assistant) }
:focus-visible { outline: 2px solid var(--assistant); outline-offset: 2px }
time { font-variant-numeric: tabular-nums }
dl > div { display: flex; flex-wrap: wrap }
dd { margin: 0; min-width: 0; white-space: pre-wrap }
@page { margin: 1.5cm }
@media print {
  :root { --page: #fff; --text: #000; --faint: #444; --line: #999 }
  body { font-size: 10.5pt }
  main { max-width: none; padding: 0 }
  h1, h2, h3 { break-after: avoid }
}
`

/** HTML of our own making. A plain string is always hostile and becomes text. */
export interface Markup {
  readonly html: string
}

/** Template for HTML: every value that is not Markup itself is escaped, in text and in quoted attributes. */
export function markup(
  strings: TemplateStringsArray,
  ...values: (string | Markup | readonly Markup[])[]
): Markup {
  return { html: strings.map((part, index) => part + toHtml(values[index] ?? '')).join('') }
}

export const nothing: Markup = { html: '' }

/** Converts an element and those in it. */
export function elementMarkup({ tag, attributes, children }: VNode): Markup {
  const name: Markup = { html: tag }
  const attributeMarkup = Object.entries(attributes).map(
    ([key, value]) => markup` ${{ html: key }}="${value}"`,
  )
  return markup`<${name}${attributeMarkup}>${children.map(child => (typeof child === 'string' ? markup`${child}` : elementMarkup(child)))}</${name}>`
}

function toHtml(value: string | Markup | readonly Markup[]): string {
  if (typeof value === 'string') return escapeHtml(value)
  return 'html' in value ? value.html : value.map(({ html }) => html).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Control and bidi characters become visible escapes, as on a terminal: a page can be spoofed by them too. */
function escapeHtml(text: string): string {
  return escapeForTerminal(text, { allowedCharacters: '\n\t' }).replace(
    /[&<>"'`]/g,
    character => entities[character] ?? character,
  )
}

/** One line of text that means nothing to Markdown (CommonMark, GitHub): no markup, no HTML, no link. Its line breaks are shown as `\n`. */
export function inMarkdown(text: string): string {
  return escapeCharacters(escapeForTerminal(text))
}

/** A table of texts (GitHub). */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(inMarkdown).join(' | ')} |`
  return [line(heads), `| ${heads.map(() => '---').join(' | ')} |`, ...rows.map(line)].join('\n')
}

/** The same where it may begin a line: no list, and no line across the page. */
export function asMarkdownLine(text: string): string {
  return escapeLine(escapeForTerminal(text))
}

/** The same of a line whose tabs stay. */
export function escapeLine(text: string): string {
  return (
    escapeCharacters(text)
      // What begins a list or a line across the page.
      .replace(/^(\s*)([-+])/, '$1\\$2')
      .replace(/^(\s*\d+)([.)])/, '$1\\$2')
  )
}

function escapeCharacters(text: string): string {
  return (
    escapeForTerminal(text, { allowedCharacters: '\t' })
      .replace(/[\\`*_{}[\]<>&|~#$^@=]/g, '\\$&')
      // A scheme makes a link of an address, a pair of colons an emoji of a word.
      .replace(/:(?=\S)/g, '\\:')
      .replace(/\bwww\./gi, match => `${match.slice(0, -1)}\\.`)
      // Blanks at the ends of a line would be lost, or indent a block of code.
      .replace(/^[ \t]|[ \t]$/g, blank => (blank === '\t' ? '&#9;' : '&#32;'))
  )
}
