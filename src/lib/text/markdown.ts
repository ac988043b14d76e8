import { escapeForTerminal } from './escape.ts'

/** One line of text that means nothing to Markdown (CommonMark, GitHub): no markup, no HTML, no link. Its line breaks are shown as `\n`. */
export function inMarkdown(text: string): string {
  return escapeCharacters(escapeForTerminal(text))
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
    escapeForTerminal(text, { keep: '\t' })
      .replace(/[\\`*_{}[\]<>&|~#$^@=]/g, '\\$&')
      // A scheme makes a link of an address, a pair of colons an emoji of a word.
      .replace(/:(?=\S)/g, '\\:')
      .replace(/\bwww\./gi, match => `${match.slice(0, -1)}\\.`)
      // Blanks at the ends of a line would be lost, or indent a block of code.
      .replace(/^[ \t]|[ \t]$/g, blank => (blank === '\t' ? '&#9;' : '&#32;'))
  )
}
