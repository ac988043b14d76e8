import { escapeRegExp } from '../../lib/text/escape.ts'

/** A shorter value may be part of any word: it is one only where it stands alone. */
const minLengthInWords = 4

export type EnvPlaceholders = ReturnType<typeof createEnvPlaceholders>

/**
 * Values of the environment that files of a project use: a cassette holds their references instead. `variables`: by their names, what
 * `${env:…}` of the files became. `fill` fills `{{name}}` of a call. A value is found as it is, trimmed, filled, with other white space,
 * and as JSON escapes it up to three times: a request holds it in any of these forms.
 */
export function createEnvPlaceholders(
  variables: ReadonlyMap<string, string>,
  fill: (text: string) => string = text => text,
) {
  const names = new Map<string, string>()
  const sorted = [...variables].sort(([one], [other]) => (one < other ? -1 : 1))
  const formsOf = [asItIs, trim, fill, (value: string) => trim(fill(value))]
  // All values as they are come first: a form of one may be another one.
  for (const formOf of formsOf) {
    for (const [name, value] of sorted) {
      const form = formOf(value)
      if (form !== '' && !names.has(form)) names.set(form, name)
    }
  }
  if (names.size === 0) return { hide: asItIs, show: asItIs, showInJson: asItIs }
  // The longest first: it may hold another one.
  const forms = [...names].sort(([one], [other]) => other.length - one.length)
  const anyForm = new RegExp(forms.map(([form]) => `(${patternOf(form)})`).join('|'), 'gu')
  const showWith = (write: (value: string) => string) => (words: string) =>
    words.replace(/\$\{env:(\w+)\}/g, (written, name) => {
      const value = variables.get(name)
      return value === undefined ? written : write(fill(value))
    })
  return {
    /** `${env:SHOP}` in place of its value. */
    hide: (words: string) =>
      words.replace(anyForm, (_, ...groups: unknown[]) => {
        const [, name] = forms[groups.findIndex(group => group !== undefined)] ?? []
        return `\${env:${name}}`
      }),
    /** The value of now in place of `${env:SHOP}`. */
    show: showWith(asItIs),
    /** The same in a text of JSON. */
    showInJson: showWith(value => JSON.stringify(value).slice(1, -1)),
  }
}

const asItIs = (words: string) => words
const trim = (value: string) => value.trim()

function patternOf(form: string): string {
  const literal = form.toWellFormed().replace(/\s+|\\+|./gsu, partPattern)
  return form.length < minLengthInWords ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal
}

/** Backslashes of an escape in JSON that stands in JSON that stands in JSON. */
const slashes = String.raw`\\{1,7}`
/** White space of any length, also as JSON escapes it. */
const whiteSpace = String.raw`(?:\s|${slashes}(?:[nrtf]|u(?:00(?:0[9aAbBcCdD]|20|[aA]0)|202[89])))+`

/** White space, a run of backslashes, or one character, also as JSON escapes it. */
function partPattern(part: string): string {
  if (/\s/u.test(part)) return whiteSpace
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
