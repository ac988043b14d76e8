import { stringifyJson } from '../json.ts'
import { lazy } from '../lazy.ts'

/**
 * Makes hostile text harmless for a terminal: C0 (newline and tab only if the layout requires them), DEL, C1, bidi controls, line
 * separators, lone surrogates, characters without width and floods of combining marks become visible escapes such as `\x1b`, `\u202e` and
 * `\u{e0041}`. Removes no character, so nothing can splice a sequence together; applying it twice changes nothing. Keeps
 * `invisibleInPlace` matches and up to eight marks in a row.
 */
export function escapeForTerminal(
  text: string,
  { allowedCharacters = '' }: { allowedCharacters?: string } = {},
): string {
  return escapeWith(text, character =>
    allowedCharacters.includes(character) ? character : visible(character),
  )
}

/** A word that is not ours amid our own: newline and tab become visible too, so that it begins no line that looks like ours. */
export function oneLine(text: string): string {
  return escapeForTerminal(text)
}

/** The text on one line: each run of white space as a space. */
export function collapseWhiteSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The text on one line, cut off with an ellipsis after this many characters. */
export function toExcerpt(text: string, maxLength: number): string {
  const line = collapseWhiteSpace(text)
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line
}

/**
 * One line of NDJSON: the same ranges are \u-escaped, which every JSON parser undoes. A lone surrogate, which is not a character and
 * makes jq fail, becomes U+FFFD.
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

/** Escapes JSON as `toJsonLine` does; whole strings must be in one part. */
export function escapeJson(json: string): string {
  // In JSON, all control characters but DEL are escapes already, and newlines are layout.
  if (/^[\n\x20-\x7e]*$/.test(json)) return json.replace(loneSurrogate, '$1\ufffd')
  return escapeWith(json.replace(loneSurrogate, '$1\ufffd'), character =>
    character === '\n' ? character : unicodeEscape(character),
  )
}

/**
 * A JSON text with every character that could harm a terminal \u-escaped. The document stays the same, number by number:
 * in JSON such characters appear only inside strings, and tab, newline and carriage return only between tokens.
 */
export function escapeJsonText(json: string): string {
  let escaped = ''
  for (const character of json) {
    if (character === '\n' || character === '\t') escaped += character
    else if (character === '\r') escaped += ' '
    else
      escaped += escapeForTerminal(character) === character ? character : toJsonLine(character).slice(1, -1)
  }
  return escaped
}

/** More follow each other in no script; floods of them reach over the lines above and below. */
const maxMarks = 8
const maxJoins = 7
const mark = String.raw`(?:(?!\p{Default_Ignorable_Code_Point})\p{M})`
const emojiPart = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])?`
/** Scripts in whose words a joiner or non-joiner is a matter of spelling. */
const joiningScripts =
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar'
const joiningLetter = `(?=\\p{L})[${joiningScripts.replaceAll(/\w+ ?/g, script => `\\p{Script=${script.trim()}}`)}]`
/** Valid uses of zero-width characters: flags, joined emoji, keycaps, joining letters and ideographic variants. */
const invisibleInPlace = [
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{2,6}\u{e007f}`,
  `${emojiPart}(?:\\u200d${emojiPart}){0,${maxJoins}}`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  String.raw`(?<=${joiningLetter}${mark}{0,${maxMarks}})[\u200c\u200d]`,
  String.raw`(?<=\p{Unified_Ideograph})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=(?=\p{L})\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
].join('|')
const hostileRanges = String.raw`\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb`
/** Built when a text first asks for them: to read the tables of Unicode takes longer than all else of a short command. */
const expressions = lazy(() => ({
  /** The group matches characters that are never shown, in parts: megabytes of them would exhaust the stack. */
  special: new RegExp(
    String.raw`(?=[\p{Extended_Pictographic}#*0-9\p{M}${hostileRanges}])(?:${invisibleInPlace}|([${hostileRanges}]{1,256}|(?<=${mark}{${maxMarks}})${mark}{1,256}))`,
    'gu',
  ),
  /** Most text has nothing of this: one look is several times faster than a replacement. */
  suspicious: new RegExp(String.raw`[\p{M}${hostileRanges}]`, 'u'),
}))
/** Text without control characters, marks and invisible characters, by ranges that take no table of Unicode: Latin, punctuation, arrows, boxes. */
const plain = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u27bf]*$/
const beyondAscii = /[\u0080-\uffff]/

function escapeWith(text: string, write: (character: string) => string): string {
  if (plain.test(text)) return text
  // Of ASCII, the control characters alone are hostile.
  if (!beyondAscii.test(text)) return text.replace(/\p{Cc}/gu, write)
  const { special, suspicious } = expressions()
  if (!suspicious.test(text)) return text
  return text.replace(special, (whole: string, hostile?: string) => {
    if (hostile === undefined) return whole
    let escapes = ''
    for (const character of hostile) escapes += write(character)
    return escapes
  })
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  if (character === '\t') return '\\t'
  if (code > 0xffff) return `\\u{${code.toString(16)}}`
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(character)
}

/** Escapes each code unit like JSON. */
function unicodeEscape(character: string): string {
  let escapes = ''
  for (let index = 0; index < character.length; index += 1)
    escapes += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  return escapes
}

/** One argument for any POSIX shell. What needs no quotes gets none. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Formats a flag with its value for a shell. A value that begins with a hyphen would be taken for a flag after a space. */
export function flagForShell(flag: string, value: string): string {
  return `${flag}${value.startsWith('-') ? '=' : ' '}${quoteForShell(value)}`
}

/** A text as a regular expression finds it. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
