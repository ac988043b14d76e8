import * as z from 'zod/mini'
import { jsonSchema } from '../files/formats/file-schema.ts'
import { plainSchema } from '../interface/json-schema.ts'
import { type WebhookType, webhooks } from '../interface/webhooks.ts'
import { type KindName, kindNames } from '../interface/words.ts'
import { checkOptions } from './errors.ts'
import { jsonSchemaOptionsSchema } from './option-schemas.ts'
import type { JsonObject } from './public-types.ts'
import type { JsonSchemaOptions } from './resources.ts'

const argumentsSchema = z.strictObject({ kind: z.enum([...kindNames, ...Object.keys(webhooks)]) })

/** See `jsonSchema` of the entry. */
export function schemaOf(kind: KindName | WebhookType, options: JsonSchemaOptions = {}): JsonObject {
  checkOptions(argumentsSchema, { kind }, 'jsonSchema')
  checkOptions(jsonSchemaOptionsSchema(), options, 'jsonSchema')
  const { vocabulary } = options
  if (!isWebhookType(kind)) return jsonSchema(kind, vocabulary)
  const { $schema, ...schema } = plainSchema(webhooks[kind].body(vocabulary))
  return { $schema, $id: `urn:callyard:schema:${kind}`, title: `callyard ${kind} event`, ...schema }
}

function isWebhookType(kind: KindName | WebhookType): kind is WebhookType {
  return Object.hasOwn(webhooks, kind)
}
