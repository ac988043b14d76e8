import * as z from 'zod/mini'
import { isObject } from '../lib/json/is-object.ts'
import { adaptForEditors } from './editor-schema.ts'
import { kinds } from './kinds.ts'
import { referencePattern, textPattern } from './reference-pattern.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { KindName } from './words.ts'

/**
 * JSON Schema 2020-12 of a file kind, as editors read it: what `validate` refuses it refuses too, as far as a schema can
 * tell (test/interface/editor-files.ts lists what it cannot). ajv compiles it in strict mode.
 */
export function jsonSchema(kind: KindName, vocabulary: Vocabulary = {}): Record<string, unknown> {
  const schema: z.ZodMiniType = kinds[kind].schema(vocabulary)
  const { $schema, ...generated } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    unrepresentable: 'any',
    io: 'input',
  })
  const { properties, allOf, ...rest } = adaptForEditors(generated)
  return {
    $schema,
    $id: `urn:callwright:schema:${kind}`,
    title: `callwright ${kinds[kind].title}`,
    ...rest,
    properties: { $schema: schemaKey, ...(isObject(properties) ? properties : {}) },
    ...(allOf === undefined ? {} : { allOf }),
    $defs: {
      text: { type: 'string', pattern: textPattern },
      reference: { type: 'string', pattern: referencePattern },
    },
  }
}

/** `validate` takes it and leaves it out of what is sent (source/schema-key.ts). */
const schemaKey = { type: 'string', description: 'The schema of this file, for editors; it is never sent' }
