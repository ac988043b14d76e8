import type * as z from 'zod/mini'
import { mapSchemas, plainSchema, type Schema } from '../../interface/json-schema.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { type KindName, resourceKinds } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import { kinds } from './kinds.ts'

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

/** `validate` accepts it and does not send it (files/source/read-source.ts). */
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
  const own = anyOf.filter(isObject).filter(member => member.$ref !== reference.$ref)
  return description === undefined ? own : own.map(member => ({ ...member, description }))
}

function isConstrained(schema: Schema): boolean {
  if (schema.type !== 'string') return false
  return ['enum', 'const', 'pattern', 'maxLength'].some(rule => schema[rule] !== undefined)
}
