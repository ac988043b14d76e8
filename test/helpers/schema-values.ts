import fc from 'fast-check'
import { isObject } from '../../src/lib/json.ts'

type Schema = Readonly<Record<string, unknown>>
type Values = fc.Arbitrary<unknown>

/** No server listens there, so that nothing is sent; no pattern can refuse the port of the last. */
const urls = [
  'http://127.0.0.1:9/',
  'HTTP://127.0.0.1:9/a?b=c#d',
  'https://127.0.0.1:9',
  'http://127.0.0.1:99999',
]
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  fc.constantFrom('{{name}}', '${env:HOME}', '\u0000\u001b[2J', '\ud800', 'a'.repeat(5000)),
)
const names = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 8 }) },
  fc.constantFrom('__proto__', 'constructor', 'toString', 'url', ''),
)
const anything = fc.jsonValue({ maxDepth: 2 })

/** Values that fit a JSON Schema. What an `if` and `then` in its `allOf` asks for is added where it is asked for. */
export function valuesOf(schema: Schema, resolve: (ref: string) => Schema): Values {
  const of = (part: unknown): Values => (isObject(part) ? valuesOf(part, resolve) : anything)
  const { $ref, const: word, enum: words, anyOf, oneOf, type, items } = schema
  if (typeof $ref === 'string') return of(resolve($ref))
  if (word !== undefined) return fc.constant(word)
  if (Array.isArray(words)) return fc.constantFrom(...words)
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(of))
  if (Array.isArray(oneOf)) return fc.oneof(...oneOf.map(of))
  if (type === 'array') return fc.array(of(items), { maxLength: 3 })
  if (type === 'object') return objectsOf(schema, of)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number') return numbersOf(schema)
  return type === 'string' ? textsOf(schema) : anything
}

function numbersOf({ type, minimum, maximum, exclusiveMinimum = -Infinity }: Schema): Values {
  const min = typeof minimum === 'number' ? minimum : -1.7e308
  const max = typeof maximum === 'number' ? maximum : 1.7e308
  const integers = fc.integer({ min: Math.max(min, -5), max: Math.min(max, 700) })
  const doubles = fc.double({ noNaN: true, min, max })
  return fc
    .oneof(integers, fc.constantFrom(min, max, 0), ...(type === 'number' ? [doubles] : []))
    .filter(value => value >= min && value <= max && value > Number(exclusiveMinimum))
}

function textsOf({ pattern, minLength = 0, maxLength = 0 }: Schema): Values {
  if (typeof pattern !== 'string') return texts.filter(text => text.length >= Number(minLength))
  const expression = new RegExp(pattern, 'u')
  // Of a limit of length JSON Schema counts characters, not the units of a language.
  const longest = `${urls[2]}/${'\u{1f600}'.repeat(Math.max(0, Number(maxLength) - 20))}`
  const fitting = [...urls, longest].filter(url => expression.test(url))
  return fitting.length > 0 ? fc.constantFrom(...fitting) : fc.stringMatching(expression)
}

function objectsOf(schema: Schema, of: (part: unknown) => Values): Values {
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {})
  const conditions = Array.isArray(schema.allOf) ? schema.allOf.filter(isObject) : []
  const needed = requiredOf(schema)
  const record = (chosen: readonly string[]) =>
    fc.record(
      Object.fromEntries(
        fields.filter(([name]) => chosen.includes(name)).map(([name, field]) => [name, of(field)]),
      ),
    )
  const own = fc
    .subarray(fields, { maxLength: Math.min(8, fields.length) })
    .chain(chosen => record([...needed, ...chosen.map(([name]) => name)]))
  const free = isObject(schema.additionalProperties)
    ? fc.dictionary(
        names.filter(name => !fields.some(([own]) => own === name)),
        of(schema.additionalProperties),
        { maxKeys: 2 },
      )
    : fc.constant({})
  const spare = record(conditions.flatMap(({ then }) => requiredOf(then)))
  return fc
    .tuple(free, own, spare)
    .map(([more, value, asked]) =>
      conditions.reduce<Schema>((met, condition) => meet(condition, met, asked), { ...more, ...value }),
    )
}

function meet({ if: condition, then: rule }: Schema, value: Schema, spare: Schema): Schema {
  const applies = requiredOf(condition).every(name => {
    const word = constOf(condition, name)
    return Object.hasOwn(value, name) && (word === undefined || value[name] === word)
  })
  if (!applies) return value
  const requiredFields = requiredOf(rule).map(name => [
    name,
    forced(partOf(rule, name), value[name] ?? spare[name]),
  ])
  return { ...value, ...Object.fromEntries(requiredFields) }
}

/** A value with the constants that a schema asks for. */
function forced(schema: unknown, value: unknown): unknown {
  const requiredFields = requiredOf(schema).map(name => [name, constOf(schema, name)])
  return requiredFields.length === 0
    ? value
    : { ...(isObject(value) ? value : {}), ...Object.fromEntries(requiredFields) }
}

function requiredOf(schema: unknown): string[] {
  return isObject(schema) && Array.isArray(schema.required) ? schema.required.map(String) : []
}

function partOf(schema: unknown, name: string): unknown {
  return isObject(schema) && isObject(schema.properties) ? schema.properties[name] : undefined
}

function constOf(schema: unknown, name: string): unknown {
  const part = partOf(schema, name)
  return isObject(part) ? part.const : undefined
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 121, 601, 1e300, '', 'x', 'http:/x', [], {}, [[]], [null]),
  names,
  anything,
)
const change = fc.record({
  place: fc.nat(),
  how: fc.constantFrom('replace', 'remove', 'add', 'wrap'),
  name: names,
  value: odd,
})

/** The same values with one to three changes, anywhere in them: another value, a field less or more, one that is a list. */
export function changedValuesOf(values: Values): Values {
  return fc.tuple(values, fc.array(change, { minLength: 1, maxLength: 3 })).map(([value, changes]) =>
    changes.reduce((changed, { place: position, how, name, value: other }) => {
      const paths = pathsIn(changed)
      const path = paths[position % paths.length] ?? []
      return changeAt(changed, path, inner => {
        if (how === 'wrap') return [inner]
        if (how === 'add' && isObject(inner)) return withField(inner, name, other)
        return how === 'remove' && path.length > 0 ? removed : other
      })
    }, value),
  )
}

const removed = Symbol('removed')

function pathsIn(value: unknown): (string | number)[][] {
  const parts = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  return [[], ...parts.flatMap(([key, part]) => pathsIn(part).map(path => [key, ...path]))]
}

function changeAt(
  value: unknown,
  [key, ...rest]: (string | number)[],
  changed: (value: unknown) => unknown,
): unknown {
  if (key === undefined) return changed(value)
  if (Array.isArray(value))
    return value.map((part, index) => (index === key ? changeAt(part, rest, changed) : part)).filter(isThere)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, part]) => [name, name === key ? changeAt(part, rest, changed) : part])
      .filter(([, part]) => isThere(part)),
  )
}

function isThere(value: unknown): boolean {
  return value !== removed
}

/** Also one with the name `__proto__`, as JSON has it. */
function withField(value: object, name: string, field: unknown): object {
  return Object.fromEntries([...Object.entries(value), [name, field]])
}
