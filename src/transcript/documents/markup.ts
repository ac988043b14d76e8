import { escapeForTerminal } from '../../lib/text/escape.ts'

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
  return escapeForTerminal(text, { keep: '\n\t' }).replace(
    /[&<>"'`]/g,
    character => entities[character] ?? character,
  )
}
