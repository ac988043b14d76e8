import * as z from 'zod/mini'
import { jsonSchema } from '../files/formats/file-schema.ts'
import { plainSchema } from '../interface/json-schema.ts'
import { webhookEventSchemas } from '../interface/responses.ts'
import { type Vocabulary, vocabularySchema } from '../interface/vocabulary.ts'
import { type KindName, kindNames, type WebhookType, webhookTypes } from '../interface/words.ts'
import { checkOptions } from './errors.ts'
import type { JsonObject } from './public-types.ts'

const argumentsSchema = z.strictObject({ kind: z.enum([...kindNames, ...webhookTypes]) })
const optionsSchema = z.strictObject({ vocabulary: z.optional(vocabularySchema()) })

/** See `jsonSchema` of the entry. */
export function schemaOf(
  kind: KindName | WebhookType,
  options: { readonly vocabulary?: Vocabulary | undefined } = {},
): JsonObject {
  checkOptions(argumentsSchema, { kind }, 'jsonSchema')
  checkOptions(optionsSchema, options, 'jsonSchema')
  const { vocabulary } = options
  if (!isWebhookType(kind)) return jsonSchema(kind, vocabulary)
  const { $schema, ...schema } = plainSchema(webhookEventSchemas[kind](vocabulary))
  return { $schema, $id: `urn:callyard:schema:${kind}`, title: `callyard ${kind} event`, ...schema }
}

function isWebhookType(kind: KindName | WebhookType): kind is WebhookType {
  return (webhookTypes as readonly string[]).includes(kind)
}
