import fc from 'fast-check'
import { jsonSchema } from '../../src/files/formats/file-schema.ts'
import type { KindName } from '../../src/interface/words.ts'
import { isObject } from '../../src/lib/json.ts'

type Schema = Readonly<Record<string, unknown>>

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    30,
    121,
    2 ** 53,
    '',
    'x',
    ' ',
    [],
    {},
    [[]],
    [null],
    { a: {} },
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

/** No server listens there, so that nothing is sent. */
const texts = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    'http://127.0.0.1:9/',
    'http:/x',
    '${env:UNSET:-x}',
    '${env:UNSET:-}',
    '$${x}',
    '${x}',
    '${env:A',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
)

/** Values for a file of a kind: most fields as the schema has them, some odd, some missing, some unknown. */
export function valuesOf(kind: KindName): fc.Arbitrary<unknown> {
  return usually(fieldOf(jsonSchema(kind)))
}

function usually(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: value }, { weight: 1, arbitrary: odd })
}

function fieldOf(schema: Schema): fc.Arbitrary<unknown> {
  const { anyOf, items, properties, additionalProperties } = schema
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.filter(isObject).map(fieldOf))
  if (isObject(items)) return fc.array(usually(fieldOf(items)), { maxLength: 3 })
  if (isObject(properties)) return mapping(properties, schema.required)
  if (isObject(additionalProperties) && schema.type === 'object') {
    return fc.dictionary(fc.string({ maxLength: 5 }), usually(fieldOf(additionalProperties)), { maxKeys: 3 })
  }
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') return fc.integer({ min: 0, max: 130 })
  if (schema.type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 110 })
  if (schema.type === 'null') return fc.constant(null)
  return schema.type === 'string' || schema.$ref !== undefined ? texts : odd
}

function mapping(properties: Schema, required: unknown): fc.Arbitrary<unknown> {
  const needed = Array.isArray(required) ? required : []
  const fields = Object.entries(properties).filter(([name]) => name !== '$schema')
  const some = fc.subarray(fields, { maxLength: Math.min(6, fields.length) })
  return some.chain(chosen => {
    const all = fields.filter(field => chosen.includes(field) || needed.includes(field[0]))
    const knownFields = fc.record(
      Object.fromEntries(all.map(([name, field]) => [name, usually(isObject(field) ? fieldOf(field) : odd)])),
    )
    const unknown = fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.record({ toString: odd }))
    return fc.tuple(knownFields, unknown).map(([one, other]) => ({ ...one, ...other }))
  })
}
