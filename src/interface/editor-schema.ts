import { isObject } from '../lib/json/is-object.ts'
import { webUrlPattern } from './fields.ts'

type Schema = Readonly<Record<string, unknown>>

/**
 * A generated JSON Schema as editors and ajv's strict mode take it: formats that JSON Schema does not know become patterns,
 * descriptions say default and range, and every text may hold `${…}` where its value may be a reference.
 */
export function adaptForEditors(schema: Schema): Record<string, unknown> {
  return withReferences(describe(withKnownKeywords(withAdaptedParts(schema))))
}

/** The names of a mapping's keys hold no references, so `propertyNames` stays as it is. */
function withAdaptedParts(schema: Schema): Record<string, unknown> {
  const { properties, items, additionalProperties, anyOf, ...rest } = schema
  return {
    ...rest,
    ...(isObject(properties) ? { properties: adaptEach(properties) } : {}),
    ...(isObject(items) ? { items: adaptForEditors(items) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties: isObject(additionalProperties)
            ? adaptForEditors(additionalProperties)
            : additionalProperties,
        }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.filter(isObject).map(adaptForEditors) } : {}),
  }
}

function adaptEach(properties: Schema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      isObject(field) ? adaptForEditors(field) : field,
    ]),
  )
}

function withKnownKeywords(schema: Schema): Record<string, unknown> {
  const { format, minimum, maximum, deprecatedValues, ...rest } = schema
  const known = {
    ...rest,
    ...(format === 'web-url' ? { pattern: webUrlPattern.source } : {}),
    ...(format === undefined || format === 'web-url' || format === 'starts_with' ? {} : { format }),
    // That a whole number can be kept exactly is no rule of the interface.
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
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
  const facts = [
    minimum !== undefined && maximum !== undefined ? `From ${minimum} to ${maximum}` : undefined,
    maxLength === undefined ? undefined : `At most ${maxLength} characters`,
    standard === undefined ? undefined : `Default: ${JSON.stringify(standard)}`,
  ].filter(fact => fact !== undefined)
  return { ...schema, description: [description, ...facts].join('. ') }
}

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
    anyOf: [withText(rules), reference],
  }
}

/** Of an option that was adapted by itself, the options without the reference: there is one for all. */
function optionsOf(option: Schema): Schema[] {
  const { anyOf } = option
  return Array.isArray(anyOf) ? anyOf.filter(isObject).filter(each => each.$ref !== reference.$ref) : [option]
}

function isConstrained(schema: Schema): boolean {
  if (schema.type !== 'string') return false
  return ['enum', 'const', 'pattern', 'maxLength'].some(rule => schema[rule] !== undefined)
}

/** A pattern says nothing of broken references in the rest of the text. */
function withText(rules: Schema): Schema {
  return rules.pattern === undefined ? rules : { ...rules, ...text }
}
