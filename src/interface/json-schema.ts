import * as z from 'zod/mini'
import { isObject, mapValues } from '../lib/json.ts'
import { componentOf, webUrlPattern } from './fields.ts'

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
  return change({
    ...rest,
    ...(isObject(properties) ? { properties: mapValues(properties, part => inner(part)) } : {}),
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
  const keywords = {
    ...rest,
    ...(format === 'web-url' ? { pattern: webUrlPattern.source } : {}),
    ...(format === undefined || unknownFormats.has(format) ? {} : { format }),
  }
  return Array.isArray(deprecatedValues) ? withDeprecated(keywords, deprecatedValues) : keywords
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
