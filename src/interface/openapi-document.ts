import * as z from 'zod/mini'
import { mapValues } from '../lib/json.ts'
import type { Endpoint } from './endpoints.ts'
import { componentOf, required, someText } from './fields.ts'
import { componentSchemas, mapSchemas, plainSchema, type Schema } from './json-schema.ts'
import { type ProblemStatus, problemSchema, problemTitles } from './problem.ts'
import * as responses from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'

interface Operation extends Omit<Endpoint, 'body' | 'response'> {
  readonly body: z.ZodMiniType | undefined
  readonly response: z.ZodMiniType | undefined
}

export interface DocumentParts {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly servers: readonly object[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** The one scheme of all operations: a bearer token. */
  readonly security: { readonly name: string; readonly description: string }
  readonly endpoints: readonly Endpoint[]
  /** Adds words to the schemas of endpoints. */
  readonly vocabulary: Vocabulary | undefined
  readonly webhooks?: readonly Webhook[]
  /** Schemas that replace others of the same name. */
  readonly replaced?: readonly z.ZodMiniType[] | undefined
}

/** A request that the service sends. */
interface Webhook {
  readonly type: string
  readonly summary: string
  readonly description?: string
  readonly body: z.ZodMiniType
  readonly response: z.ZodMiniType
  readonly examples: { readonly body: unknown; readonly response: unknown }
}

/** An OpenAPI 3.1 document. The same parts make the same bytes. */
export function openApiDocument(parts: DocumentParts): Record<string, unknown> {
  const { title, version, description, servers, tags, security, endpoints, vocabulary, webhooks } = parts
  const operations = endpoints.map(
    (endpoint): Operation => ({
      ...endpoint,
      body: endpoint.body?.(vocabulary),
      response: endpoint.response?.(responses, vocabulary),
    }),
  )
  const schemas = [...operations, ...(webhooks ?? [])]
    .flatMap(({ body, response }) => [body, response])
    .filter(schema => schema !== undefined)
  const written = [...operations.map(({ body }) => body), ...(webhooks ?? []).map(({ response }) => response)]
  const components = componentSchemas([...schemas, problemSchema(), ...(parts.replaced ?? [])], refTo)
  const problems = [...new Set(operations.flatMap(problemsOf))].sort((one, other) => one - other)
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers,
    tags,
    security: [{ [security.name]: [] }],
    paths: pathsOf(operations),
    webhooks: webhooks && Object.fromEntries(webhooks.map(webhookOf)),
    components: {
      securitySchemes: {
        [security.name]: { type: 'http', scheme: 'bearer', description: security.description },
      },
      headers: {
        RequestId: { description: 'Id of the request', schema: { type: 'string' } },
      },
      responses: Object.fromEntries(problems.map(status => [problemName(status), problemResponse(status)])),
      schemas: withoutDefaults(
        components,
        written.flatMap(schema => (schema && componentOf(schema)?.name) ?? []),
      ),
    },
  }
}

/**
 * Removes `default` from request schemas, because type generators make a field with a default required. The description states the
 * default.
 */
function withoutDefaults(components: Readonly<Record<string, Schema>>, written: readonly string[]) {
  // Iterating a Set also visits values added during the loop.
  const names = new Set(written)
  for (const name of names)
    for (const [, used = ''] of JSON.stringify(components[name] ?? {}).matchAll(/"\$ref":"[^"]*\/([^"/]+)"/g))
      names.add(used)
  return mapValues(components, (schema, name) =>
    names.has(name) ? mapSchemas(schema, ({ default: _, ...rest }) => rest) : schema,
  )
}

function pathsOf(operations: readonly Operation[]): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation),
    }
  }
  return paths
}

/** Undefined fields are omitted from the JSON. */
function operationObject(operation: Operation): Record<string, unknown> {
  const { body, response, examples, idOf, isOpen = false, isBodyOptional = false } = operation
  const path = idOf === undefined ? undefined : z.object({ id: required(someText(), idOf) })
  const parameters = [...parametersOf('path', path), ...parametersOf('query', operation.query)]
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: isOpen ? [] : undefined,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: body && { required: !isBodyOptional, content: json(body, examples?.body) },
    responses: {
      200: {
        description: 'Done',
        headers: requestId,
        content:
          response === undefined
            ? { 'text/event-stream': { schema: { type: 'string' } } }
            : json(response, examples?.response),
      },
      ...Object.fromEntries(
        problemsOf(operation).map(status => [
          status,
          { $ref: `#/components/responses/${problemName(status)}` },
        ]),
      ),
      default: { description: 'Another refusal', headers: requestId, content: problemContent() },
    },
  }
}

const requestId = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }

function problemsOf({ body, isOpen = false, problems = [] }: Operation): ProblemStatus[] {
  const ofBodies: ProblemStatus[] = body === undefined ? [] : [400, 413, 415, 422]
  return [...new Set<ProblemStatus>([...(isOpen ? [] : ([401] as const)), ...ofBodies, ...problems])].sort(
    (one, other) => one - other,
  )
}

function problemName(status: ProblemStatus): string {
  return `Problem${status}`
}

function problemResponse(status: ProblemStatus) {
  const title = problemTitles[status]
  return {
    description: title,
    headers: requestId,
    content: problemContent({ type: 'about:blank', title, status, detail: title, requestId: 'req-1' }),
  }
}

function problemContent(example?: unknown) {
  return { 'application/problem+json': media(problemSchema(), example) }
}

function parametersOf(location: 'path' | 'query', schema: z.ZodMiniObject | undefined): object[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { $schema: _, description, ...rest } = plainSchema(field as z.ZodMiniType)
    const isRequired = !(field instanceof z.ZodMiniOptional)
    return { name, in: location, required: isRequired || undefined, description, schema: rest }
  })
}

function webhookOf({ type, summary, description, body, response, examples }: Webhook): [string, object] {
  const post = {
    operationId: type,
    summary,
    description,
    security: [],
    requestBody: { required: true, content: json(body, examples.body) },
    responses: { 200: { description: 'Received', content: json(response, examples.response) } },
  }
  return [type, { post }]
}

function json(schema: z.ZodMiniType, example: unknown) {
  return { 'application/json': media(schema, example) }
}

function media(schema: z.ZodMiniType, example: unknown) {
  const component = componentOf(schema)
  return {
    schema: component === undefined ? plainSchema(schema) : { $ref: refTo(component.name) },
    example,
  }
}

function refTo(name: string): string {
  return `#/components/schemas/${name}`
}
