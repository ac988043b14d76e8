import * as z from 'zod/mini'
import { isObject, mapValues } from '../lib/json.ts'
import { componentOf, webUrlPattern } from './fields.ts'
import { kinds } from './kinds.ts'
import type { Vocabulary } from './vocabulary.ts'
import { type KindName, resourceKinds } from './words.ts'

/**
 * JSON Schema 2020-12 of a file kind, as editors read it: what `validate` refuses it refuses too, as far as a schema can
 * tell (test/interface/editor-files.ts lists what it cannot). ajv compiles it in strict mode.
 */
export function jsonSchema(kind: KindName, vocabulary: Vocabulary = {}): Record<string, unknown> {
  const schema: z.ZodMiniType = kinds[kind].schema(vocabulary)
  // Every text may hold `${…}` where its value may be a reference.
  const { $schema, properties, allOf, ...rest } = mapSchemas(plainSchema(schema), withReferences)
  return {
    $schema,
    $id: `urn:callyard:schema:${kind}`,
    title: `callyard ${kinds[kind].title}`,
    ...rest,
    properties: { $schema: schemaKey, ...(isObject(properties) ? properties : {}) },
    ...(allOf === undefined ? {} : { allOf }),
    $defs: {
      text: { type: 'string', pattern: textPattern },
      reference: { type: 'string', pattern: referencePattern },
    },
  }
}

/** `validate` accepts it and does not send it (source/read-source.ts). */
const schemaKey = { type: 'string', description: 'The schema of this file, for editors; it is never sent' }

/** Text after the `$` of a reference, including braces. */
const body = [
  // The variables of callyard itself, in upper and lower case.
  `env:(?!${[...'CALLYARD'].map(letter => `[${letter}${letter.toLowerCase()}]`).join('')}_)[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?`,
  'file:[^{}]+',
  `(?:${resourceKinds.join('|')}):[^\\s{}](?:[^{}\\n\\r\\u2028\\u2029]*[^\\s{}])?`,
].join('|')

const bad = `(?:^|[^$])\\$(?!\\{(?:${body})\\})\\{`

/** A text without a broken reference, as JSON Schema writes patterns. `$${` is a literal `${`. */
export const textPattern = `^(?![\\s\\S]*${bad})`

/** The same with a reference in it, whose value is only known when the file is read. */
export const referencePattern = `${textPattern}(?:[\\s\\S]*[^$])?\\$\\{`

const text = { $ref: '#/$defs/text' }
const reference = { $ref: '#/$defs/reference' }

/**
 * `validate` checks a text when its references are resolved. A free text may hold any; of words and patterns either the text
 * itself fits, or it holds a reference.
 */
function withReferences(schema: Schema): Record<string, unknown> {
  const { anyOf } = schema
  if (Array.isArray(anyOf)) {
    const options = anyOf.filter(isObject).flatMap(optionsOf)
    return { ...schema, anyOf: options.some(isConstrained) ? [...options, reference] : options }
  }
  if (schema.type !== 'string') return { ...schema }
  if (!isConstrained(schema)) return { ...schema, ...text }
  const { title, description, default: standard, ...rules } = schema
  return {
    ...(description === undefined ? {} : { description }),
    ...(standard === undefined ? {} : { default: standard }),
    // A pattern says nothing of broken references in the rest of the text.
    anyOf: [rules.pattern === undefined ? rules : { ...rules, ...text }, reference],
  }
}

/** Returns the options of an adapted option without the reference, since there is one reference for all. */
function optionsOf(option: Schema): Schema[] {
  const { anyOf, description } = option
  if (!Array.isArray(anyOf)) return [option]
  const own = anyOf.filter(isObject).filter(each => each.$ref !== reference.$ref)
  return description === undefined ? own : own.map(each => ({ ...each, description }))
}

function isConstrained(schema: Schema): boolean {
  if (schema.type !== 'string') return false
  return ['enum', 'const', 'pattern', 'maxLength'].some(rule => schema[rule] !== undefined)
}

export type Schema = Readonly<Record<string, unknown>>

const options = { target: 'draft-2020-12', unrepresentable: 'any', io: 'input' } as const

/** JSON Schema 2020-12, all in one, as ajv's strict mode takes it; descriptions say default and range. */
export function plainSchema(schema: z.ZodMiniType): Record<string, unknown> {
  return mapSchemas(z.toJSONSchema(schema, options), adapt)
}

/**
 * Like `plainSchema`, for several schemas that share named parts (fields.ts, `named`): name → schema, with `$ref` for each named schema.
 * The last one of a name counts.
 */
export function componentSchemas(
  schemas: readonly z.ZodMiniType[],
  uri: (name: string) => string,
): Record<string, Schema> {
  const components = z.registry<{ id: string; description?: string }>()
  const collect = (schema: z.core.$ZodType) => {
    const component = componentOf(schema)
    if (component === undefined) return
    const { name: id, description } = component
    components.add(schema, description === undefined ? { id } : { id, description })
  }
  for (const schema of schemas)
    z.toJSONSchema(schema, { ...options, override: ({ zodSchema }) => collect(zodSchema) })
  const generated = z.toJSONSchema(components, { ...options, uri })
  return Object.fromEntries(
    Object.entries(generated.schemas)
      .map(([name, { $schema: _, $id: __, ...schema }]): [string, Schema] => [
        name,
        mapSchemas(schema, adapt),
      ])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** A schema with each schema in it changed, the inner ones first. The names of a mapping's keys stay as they are. */
export function mapSchemas(
  schema: Schema,
  change: (schema: Schema) => Record<string, unknown>,
): Record<string, unknown> {
  const { properties, items, additionalProperties, anyOf, oneOf, ...rest } = schema
  const inner = (part: unknown) => (isObject(part) ? mapSchemas(part, change) : part)
  const each = (parts: Schema) => mapValues(parts, part => inner(part))
  return change({
    ...rest,
    ...(isObject(properties) ? { properties: each(properties) } : {}),
    ...(isObject(items) ? { items: inner(items) } : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inner(additionalProperties) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(inner) } : {}),
    ...(Array.isArray(oneOf) ? { oneOf: oneOf.map(inner) } : {}),
  })
}

function adapt(schema: Schema): Record<string, unknown> {
  return describe(withKnownKeywords(schema))
}

const unknownFormats = new Set<unknown>(['web-url', 'time-span', 'starts_with'])

/** Formats that JSON Schema does not know become patterns, deprecated words a choice of their own. */
function withKnownKeywords(schema: Schema): Record<string, unknown> {
  const { format, deprecatedValues, ...rest } = schema
  const known = {
    ...rest,
    ...(format === 'web-url' ? { pattern: webUrlPattern.source } : {}),
    ...(format === undefined || unknownFormats.has(format) ? {} : { format }),
  }
  return Array.isArray(deprecatedValues) ? withDeprecated(known, deprecatedValues) : known
}

function withDeprecated({ enum: words, ...rest }: Schema, deprecated: readonly unknown[]) {
  const type = 'string'
  const current = Array.isArray(words) ? words.filter(word => !deprecated.includes(word)) : []
  return {
    ...rest,
    anyOf: [
      { type, enum: current },
      ...deprecated.map(word => ({
        type,
        const: word,
        deprecated: true,
        description: 'Deprecated; it will be removed',
      })),
    ],
  }
}

function describe(schema: Schema): Record<string, unknown> {
  const { description, minimum, maximum, maxLength, default: standard } = schema
  if (typeof description !== 'string') return { ...schema }
  // The range of exact integers in JSON is not a limit of the interface.
  const isLimited = minimum !== undefined && maximum !== undefined && minimum !== Number.MIN_SAFE_INTEGER
  const facts = [
    isLimited ? `From ${minimum} to ${maximum}` : undefined,
    maxLength === undefined ? undefined : `At most ${maxLength} characters`,
    standard === undefined ? undefined : `Default: ${JSON.stringify(standard)}`,
  ].filter(fact => fact !== undefined)
  return { ...schema, description: [description, ...facts].join('. ') }
}
