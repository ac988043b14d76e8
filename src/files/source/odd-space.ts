import { isObject } from '../../lib/json.ts'
import type { Parsed, ParseError } from './diagnostic.ts'

/** White space that YAML takes for text: editors, chats and web pages put it in the place of spaces. */
const invisible = '\\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f\\u2060\\u3000\\ufeff'
const oddSpace = new RegExp(`[${invisible}]`)
const lineStart = '(?<=\\n|^\\ufeff?) *(?:- +)*'
const oddIndentation = new RegExp(`${lineStart}([${invisible}])`, 'g')
const oddSeparator = new RegExp(
  `${lineStart}([\\w.-]+ *)(?:([${invisible}])[ ${invisible}]*:|:([${invisible}]))`,
  'g',
)

/** Finds an invisible character in the indentation of a line with an error or of a key, or next to the colon of a key. */
export function findOddSpace(text: string, parsed: Parsed): ParseError | undefined {
  if (!oddSpace.test(text)) return undefined
  return findOddIndentation(text, parsed) ?? findOddSeparator(text, parsed)
}

function findOddIndentation(text: string, { errors, value }: Parsed): ParseError | undefined {
  for (const match of text.matchAll(oddIndentation)) {
    const [indentation, character = ''] = match
    if (match.index === 0 && character === '\ufeff') continue
    const offset = match.index + indentation.length - 1
    const [key] = /^[^:\n]*/.exec(text.slice(offset)) ?? []
    if (!isInError(text, match.index, errors) && !hasKey(value, key?.trimEnd() ?? '')) continue
    return {
      code: 'odd-indentation',
      message: `the line is indented with ${nameOf(character)} instead of spaces`,
      hint: 'indent with spaces',
      offset,
    }
  }
  return undefined
}

function findOddSeparator(text: string, { errors, value }: Parsed): ParseError | undefined {
  for (const match of text.matchAll(oddSeparator)) {
    const [line, key = '', before, after = ''] = match
    const isKey = before !== undefined && hasKey(value, line.slice(line.indexOf(key), -1).replace(/ +$/, ''))
    // Without another field, the line is text.
    const isText = before === undefined && typeof value === 'string'
    if (!isKey && !isText && !isInError(text, match.index, errors)) continue
    const name = nameOf(before ?? after)
    return {
      code: 'odd-space',
      message:
        before === undefined
          ? `the colon is followed by ${name} instead of a space`
          : `the field name ends with ${name}`,
      hint: before === undefined ? 'type a space after the colon' : 'remove it',
      offset:
        before === undefined
          ? match.index + line.length - 1
          : match.index + line.lastIndexOf(key) + key.length,
    }
  }
  return undefined
}

/** True if an error is on the line at an offset or on the next one. */
function isInError(text: string, start: number, errors: Parsed['errors']): boolean {
  const next = text.indexOf('\n', text.indexOf('\n', start) + 1)
  const end = next === -1 ? text.length : next
  return errors.some(({ offset }) => offset !== undefined && offset >= start && offset <= end)
}

function nameOf(character: string): string {
  const name = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  return `${name}${names[name] ?? ''}`
}

const names: Readonly<Record<string, string>> = {
  'U+00A0': ' (no-break space)',
  'U+2003': ' (em space)',
  'U+2007': ' (figure space)',
  'U+200B': ' (zero width space)',
  'U+202F': ' (narrow no-break space)',
  'U+3000': ' (ideographic space)',
  'U+FEFF': ' (byte order mark)',
}

function hasKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some(item => hasKey(item, key))
  if (!isObject(value)) return false
  return Object.hasOwn(value, key) || Object.values(value).some(inner => hasKey(inner, key))
}
