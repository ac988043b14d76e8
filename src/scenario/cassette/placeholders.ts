/** Values of the environment that files of a project use: a cassette holds their references instead. */
export interface EnvPlaceholders {
  /** `${env:SHOP}` in place of its value. */
  hide(words: string): string
  /** The value of now in place of `${env:SHOP}`. */
  show(words: string): string
}

/** A shorter value may be part of any word: it is one only where it stands alone. */
const minLengthInWords = 4

/** `variables` by their names: what `${env:…}` of the files became. */
export function createEnvPlaceholders(variables: ReadonlyMap<string, string>): EnvPlaceholders {
  const names = new Map<string, string>()
  for (const [name, value] of [...variables].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (value !== '' && !names.has(value)) names.set(value, name)
  }
  if (names.size === 0) return { hide: words => words, show: words => words }
  // The longest first: it may hold another one.
  const values = [...names.keys()].sort((one, other) => other.length - one.length)
  const anyValue = new RegExp(values.map(patternOf).join('|'), 'gu')
  return {
    hide: words => words.replace(anyValue, value => `\${env:${names.get(value)}}`),
    show: words => words.replace(/\$\{env:(\w+)\}/g, (written, name) => variables.get(name) ?? written),
  }
}

function patternOf(value: string): string {
  const literal = value.toWellFormed().replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return value.length < minLengthInWords ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal
}
