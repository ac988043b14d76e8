import * as z from 'zod/mini'
import { kinds } from './kinds.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { KindName } from './words.ts'

/** JSON Schema 2020-12 of a file kind, with descriptions and defaults, as editors read it. */
export function jsonSchema(kind: KindName, vocabulary: Vocabulary = {}): Record<string, unknown> {
  const schema: z.ZodMiniType = kinds[kind].schema(vocabulary)
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    unrepresentable: 'any',
    io: 'input',
  })
  return { $schema, title: `callwright ${kinds[kind].title}`, ...rest }
}
