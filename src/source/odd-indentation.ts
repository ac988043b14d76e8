import { isObject } from '../lib/json.ts'
import type { Parsed, ParseError } from './diagnostic.ts'

/** White space that YAML takes for text: editors, chats and web pages put it in the place of spaces. */
const invisible = '\\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f\\u2060\\u3000\\ufeff'
const oddIndentation = new RegExp(`(?<=\\n|^\\ufeff?) *(?:- +)*([${invisible}])`, 'g')

/** Finds the invisible character that indents a line with an error, or the key of a field. */
export function findOddIndentation(text: string, { errors, value }: Parsed): ParseError | undefined {
  for (const match of text.matchAll(oddIndentation)) {
    const [indentation, character = ''] = match
    if (match.index === 0 && character === '\ufeff') continue
    const offset = match.index + indentation.length - 1
    const end = text.indexOf('\n', text.indexOf('\n', offset) + 1)
    const isInError = errors.some(error =>
      isBetween(error.offset, match.index, end === -1 ? text.length : end),
    )
    const [key] = /^[^:\n]*/.exec(text.slice(offset)) ?? []
    if (!isInError && !hasKey(value, key?.trimEnd() ?? '')) continue
    const name = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
    return {
      code: 'odd-indentation',
      message: `the line is indented with ${name}${names[name] ?? ''} instead of spaces`,
      hint: 'indent with spaces',
      offset,
    }
  }
  return undefined
}

const names: Readonly<Record<string, string>> = {
  'U+00A0': ' (no-break space)',
  'U+2003': ' (em space)',
  'U+200B': ' (zero width space)',
  'U+202F': ' (narrow no-break space)',
  'U+3000': ' (ideographic space)',
  'U+FEFF': ' (byte order mark)',
}

function isBetween(offset: number | undefined, start: number, end: number): boolean {
  return offset !== undefined && offset >= start && offset <= end
}

function hasKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some(item => hasKey(item, key))
  if (!isObject(value)) return false
  return Object.hasOwn(value, key) || Object.values(value).some(inner => hasKey(inner, key))
}
