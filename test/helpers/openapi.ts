import type { ValidateFunction } from 'ajv'
import * as z from 'zod/mini'
import { strictAjv } from './strict-ajv.ts'

const contentSchema = z.record(
  z.string(),
  z.looseObject({ schema: z.record(z.string(), z.unknown()), example: z.optional(z.unknown()) }),
)
const responseSchema = z.looseObject({ content: z.optional(contentSchema) })
const operationSchema = z.looseObject({
  operationId: z.string(),
  parameters: z.optional(z.array(z.looseObject({ name: z.string(), in: z.string() }))),
  requestBody: z.optional(z.looseObject({ content: contentSchema })),
  responses: z.record(z.string(), responseSchema),
})
const pathsSchema = z.record(z.string(), z.record(z.string(), operationSchema))
const documentSchema = z.looseObject({
  paths: pathsSchema,
  webhooks: z.optional(pathsSchema),
  components: z.looseObject({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
})
export type MediaType = z.infer<typeof contentSchema>[string]

/** An operation of a document, path or webhook. */
export interface DocumentOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly body: MediaType | undefined
  readonly answer: MediaType | undefined
}

export interface ReadDocument {
  readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly operations: readonly DocumentOperation[]
  readonly webhooks: readonly DocumentOperation[]
  /** Compiles a schema of the document, which may be a reference. Strict: an unknown keyword or format throws. */
  validator(schema: MediaType['schema']): ValidateFunction
}

/** Reads an OpenAPI document as a client does; throws if its parts are not where OpenAPI requires them. */
export function readOpenApi(value: unknown): ReadDocument {
  const document = documentSchema.parse(value)
  const ajv = strictAjv({ allErrors: true, allowUnionTypes: true })
  const { schemas } = document.components
  ajv.addKeyword('components')
  ajv.addSchema({ $id: 'document', components: { schemas } }, 'document', false, false)
  return {
    schemas,
    operations: operationsOf(document.paths),
    webhooks: operationsOf(document.webhooks ?? {}),
    validator: ({ $ref, ...inline }) =>
      ajv.compile(typeof $ref === 'string' ? { $ref: `document${$ref}` } : inline),
  }
}

function operationsOf(paths: z.infer<typeof pathsSchema>): DocumentOperation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, requestBody, responses }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      body: requestBody?.content['application/json'],
      answer: responses['200']?.content?.['application/json'],
    })),
  )
}
