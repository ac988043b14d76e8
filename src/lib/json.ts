/** Levels of a document that is laid out: indentation grows with the square of its nesting. */
export const maxIndentedLevels = 100

/**
 * Serializes a value of any depth; JSON.stringify would overflow the stack, and a service may nest its responses without bound. Indents
 * up to 100 levels, and writes deeper ones on one line.
 */
export function stringifyJson(value: unknown, { indented = false } = {}): string {
  if (indented && nestsAtMost(value, maxIndentedLevels)) return JSON.stringify(value, null, 2)
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return writeWithoutStack(value)
  }
}

/** Pending output: literal text, or a value. */
type Waiting = { readonly text: string } | { readonly value: unknown }

function writeWithoutStack(whole: unknown): string {
  const parts: string[] = []
  const waiting: Waiting[] = [{ value: whole }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('text' in next) parts.push(next.text)
    else if (typeof next.value !== 'object' || next.value === null)
      parts.push(JSON.stringify(next.value) ?? 'null')
    else for (const part of partsOf(next.value).toReversed()) waiting.push(part)
  }
  return parts.join('')
}

/** Returns the brackets and content of an object or array. */
function partsOf(value: object): Waiting[] {
  const isList = Array.isArray(value)
  const members = Object.entries(value).filter(([, inner]) => isList || inner !== undefined)
  const inside = members.flatMap(([name, inner], index) => {
    const comma = index === 0 ? '' : ','
    return [{ text: isList ? comma : `${comma}${JSON.stringify(name)}:` }, { value: inner }]
  })
  return [{ text: isList ? '[' : '{' }, ...inside, { text: isList ? ']' : '}' }]
}

/** True if a value nests at most this many levels. */
export function nestsAtMost(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every(inner => nestsAtMost(inner, levels - 1))
}

/** Deeper than any real event, far from the depth at which JSON.stringify overflows the stack. */
const maxPrintedLevels = 100

/** JSON.parse takes nesting of any depth, JSON.stringify does not: a hostile body must not end the process. */
export function printable(value: unknown): unknown {
  return nestsAtMost(value, maxPrintedLevels) ? value : '(nested too deeply to show)'
}

/** A JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Yields all strings of a value with their paths. */
export function* textsIn(
  whole: unknown,
): Generator<readonly [path: readonly (string | number)[], text: string], undefined> {
  const pending: [path: readonly (string | number)[], value: unknown][] = [[[], whole]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [path, value] = next
    if (typeof value === 'string') yield [path, value]
    else if (typeof value === 'object' && value !== null) {
      const fields = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
      for (const [key, field] of fields.reverse()) pending.push([[...path, key], field])
    }
  }
}

/** Returns a copy with each string replaced; `path` is the location of the string. */
export function mapTexts(
  value: unknown,
  map: (text: string, path: readonly (string | number)[]) => unknown,
  path: readonly (string | number)[] = [],
): unknown {
  if (typeof value === 'string') return map(value, path)
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, map, [...path, index]))
  if (!isObject(value)) return value
  return mapValues(value, (field, key) => mapTexts(field, map, [...path, key]))
}

/** Returns a copy of an object with another value for each field. */
export function mapValues<Value, Result>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))
}

/** A text that is more than blanks. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** Returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Deeply readonly version of a type. */
export type Immutable<Value> = Value extends object
  ? { readonly [Field in keyof Value]: Immutable<Value[Field]> }
  : Value
