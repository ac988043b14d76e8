import { escapeRegExp } from '../../lib/text/escape.ts'

/** Shorter values are matched only as separate words, because they may be part of any word. */
const minLengthInWords = 4

/** White space matched for each run inside a value, unless the value has a longer one. Unlimited runs take quadratic time. */
const maxWhiteSpaceLength = 100

export type EnvPlaceholders = ReturnType<typeof createEnvPlaceholders>

/**
 * Replaces environment values used by project files with their references, so that cassettes hold no secrets. `variables` maps names
 * to the values of `${env:…}`; `fill` replaces the `{{name}}` variables of a call. Values are found verbatim, filled, with different
 * white space, and JSON-escaped up to three times, because a request may hold any of these forms. White space around a value stays in
 * the text, because a prompt may be trimmed.
 */
export function createEnvPlaceholders(
  variables: ReadonlyMap<string, string>,
  fill: (text: string) => string = text => text,
) {
  const names = new Map<string, string>()
  const sorted = [...variables].sort(([one], [other]) => (one < other ? -1 : 1))
  const formsOf = [trim, (value: string) => trim(fill(value))]
  // Unfilled values first, because a form of one value may equal another value.
  for (const formOf of formsOf) {
    for (const [name, value] of sorted) {
      const form = formOf(value)
      if (form !== '' && !names.has(form)) names.set(form, name)
    }
  }
  // Longest first, because it may contain a shorter one.
  const forms = [...names].sort(([one], [other]) => other.length - one.length)
  const patterns = forms.map(([form]) => `(${toPattern(form)})`)
  const hidden = new RegExp([...patterns, String.raw`\$\{env:\w+\}`].join('|'), 'gu')
  const showWith = (write: (value: string) => string) => (words: string) =>
    words.replace(/(\$?)\$\{env:(\w+)\}/g, (written, dollar, name) => {
      if (dollar !== '') return written.slice(1)
      const value = variables.get(name)
      return value === undefined ? written : write(trim(fill(value)))
    })
  return {
    /** Replaces values with `${env:SHOP}`; a literal `${env:SHOP}` becomes `$${env:SHOP}`. */
    hide: (words: string) =>
      words.replace(hidden, (written, ...groups: unknown[]) => {
        const [, name] = forms[groups.slice(0, forms.length).findIndex(group => group !== undefined)] ?? []
        return name === undefined ? `$${written}` : `\${env:${name}}`
      }),
    /** Replaces `${env:SHOP}` with its current value. */
    show: showWith(identity),
    /** Like `show`, inside JSON text. */
    showInJson: showWith(value => JSON.stringify(value).slice(1, -1)),
  }
}

const identity = (words: string) => words
const trim = (value: string) => value.trim()

function toPattern(form: string): string {
  const literal = form.toWellFormed().replace(/\s+|\\+|./gsu, partPattern)
  return form.length < minLengthInWords ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal
}

/** Backslashes of an escape in JSON nested up to three levels. */
const slashes = String.raw`\\{1,7}`
/** One character of white space, also as JSON escapes it. */
const whiteSpace = String.raw`(?:\s|${slashes}(?:[nrtf]|u(?:00(?:0[9aAbBcCdD]|20|[aA]0)|202[89])))`

/** White space, a run of backslashes, or one character, also as JSON escapes it. */
function partPattern(part: string): string {
  if (/\s/u.test(part)) return `${whiteSpace}{1,${Math.max(maxWhiteSpaceLength, part.length)}}`
  const units = Array.from({ length: part.length }, (_, index) => {
    const hex = part.charCodeAt(index).toString(16).padStart(4, '0')
    return `${slashes}u${hex.replace(/[a-f]/g, letter => `[${letter}${letter.toUpperCase()}]`)}`
  })
  const { length } = part
  const literal = part.startsWith('\\')
    ? `\\\\{${length},${8 * length}}`
    : /["/]/.test(part)
      ? `\\\\{0,7}${escapeRegExp(part)}`
      : part === '\b'
        ? String.raw`(?:\x08|${slashes}b)`
        : escapeRegExp(part)
  return `(?:${units.join('')}|${literal})`
}
