import { stringifyJson } from './deep-json.ts'

/**
 * Makes hostile text harmless for a terminal: C0 (newline and tab only where the layout asks for them), DEL, C1, bidi
 * controls, line separators and lone surrogates become visible escapes such as `\x1b` and `\u202e`. Works character by
 * character and never removes one, so nothing can splice a sequence together; applying it twice changes nothing.
 */
export function escapeForTerminal(text: string, { keep = '' }: { keep?: string } = {}): string {
  let escaped = ''
  for (const character of text) {
    escaped +=
      isHostile(character.codePointAt(0) ?? 0) && !keep.includes(character) ? visible(character) : character
  }
  return escaped
}

/** A word that is not ours amid our own: newline and tab become visible too, so that it begins no line that looks like ours. */
export function oneLine(text: string): string {
  return escapeForTerminal(text)
}

/**
 * One line of NDJSON: the same ranges are \u-escaped, which every JSON parser undoes. A lone surrogate, which is no character
 * and at which jq gives up, becomes U+FFFD.
 */
export function toJsonLine(value: unknown): string {
  return escapeJson(stringifyJson(value))
}

/** The same for an indented document: its newlines are layout. */
export function toJsonDocument(value: unknown): string {
  return escapeJson(stringifyJson(value, { indented: true }))
}

/** JSON.stringify writes lone surrogates as escapes; a backslash of the text itself comes in pairs. */
const loneSurrogate = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

function escapeJson(json: string): string {
  let escaped = ''
  for (const character of json.replace(loneSurrogate, '$1\ufffd')) {
    const harmless = character === '\n' || !isHostile(character.codePointAt(0) ?? 0)
    escaped += harmless ? character : unicodeEscape(character)
  }
  return escaped
}

function isHostile(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    code === 0x061c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    (code >= 0xd800 && code <= 0xdfff)
  )
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  if (character === '\t') return '\\t'
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(character)
}

function unicodeEscape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}
