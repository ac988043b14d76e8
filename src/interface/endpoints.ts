import type * as z from 'zod/mini'
import { assistantSchema } from './assistant.ts'
import { connectCallSchema, startCallSchema } from './call.ts'
import { faqInsertSchema, faqUpdateSchema } from './faq.ts'
import type { ProblemStatus } from './problem.ts'
import { toolSchema, toolUpdateSchema } from './tool.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The module with the response schemas. They are large and only documents need them, so endpoints do not import them. */
export type ResponseSchemas = typeof import('./responses.ts')

/** An HTTP endpoint: how to reach it, and what an OpenAPI document says about it. */
export interface Endpoint {
  /** `operationId` */
  readonly id: string
  readonly method: string
  /** `{id}` is a placeholder for an id. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** True if it needs no token. */
  readonly isOpen?: boolean
  readonly idOf?: string
  /** Undefined: the query is ignored. */
  readonly query?: z.ZodMiniObject
  /** The schema of the request body, which has a name (fields.ts); undefined: no body is read. */
  body?(vocabulary?: Vocabulary): z.ZodMiniType
  readonly isBodyOptional?: boolean
  /** The schema of the response, which has a name; undefined: a stream of server-sent events. */
  response?(schemas: ResponseSchemas, vocabulary?: Vocabulary): z.ZodMiniType
  readonly examples?: { readonly body?: unknown; readonly response?: unknown }
  /** Errors besides those that every endpoint can return (401, 413, …). */
  readonly problems?: readonly ProblemStatus[]
}

const conversations = '/calls/v1/conversations'
const tools = '/assistants/v1/tools'
const faqTemplate = '/kb/v1/knowledge-bases/{id}/faq-template'

const whoTalks =
  'An assistant in the body wins over assistantId; without either, the default assistant of the phone number talks.'

/** The seven endpoints, in the order of interface.md 4. */
export const endpoints = {
  startCall: {
    id: 'startCall',
    method: 'POST',
    path: conversations,
    tag: 'Calls',
    summary: 'Create call',
    description: `Starts an outbound call from the assistant to the user. ${whoTalks}`,
    body: startCallSchema,
    response: ({ startedCallResponse: startedCallAnswer }) => startedCallAnswer,
    problems: [404, 503],
  },
  connectCall: {
    id: 'connectCall',
    method: 'POST',
    path: `${conversations}/connect`,
    tag: 'Calls',
    summary: 'Connect call',
    description: `Places a call by the id of a phone number, in either direction. ${whoTalks}`,
    body: connectCallSchema,
    response: ({ callResponse: callAnswer }, vocabulary) => callAnswer(vocabulary),
    problems: [404, 503],
  },
  createAssistant: {
    id: 'createAssistant',
    method: 'POST',
    path: '/assistants/v1/assistants',
    tag: 'Assistants',
    summary: 'Create assistant',
    body: assistantSchema,
    response: ({ assistantResponse: assistantAnswer }, vocabulary) => assistantAnswer(vocabulary),
  },
  createTool: {
    id: 'createTool',
    method: 'POST',
    path: tools,
    tag: 'Tools',
    summary: 'Create tool',
    body: toolSchema,
    response: ({ toolResponse: toolAnswer }) => toolAnswer,
  },
  updateTool: {
    id: 'updateTool',
    method: 'PATCH',
    path: `${tools}/{id}`,
    tag: 'Tools',
    summary: 'Update tool',
    description: 'Replaces the fields that the body holds; type is not part of it.',
    idOf: 'Id of the tool',
    body: toolUpdateSchema,
    response: ({ toolResponse: toolAnswer }) => toolAnswer,
    problems: [404],
  },
  insertFaq: {
    id: 'insertFaq',
    method: 'POST',
    path: faqTemplate,
    tag: 'Knowledge bases',
    summary: 'Insert FAQ entries',
    idOf: 'Id of the knowledge base',
    body: faqInsertSchema,
    response: ({ faqAnswer }) => faqAnswer,
  },
  updateFaq: {
    id: 'updateFaq',
    method: 'PUT',
    path: faqTemplate,
    tag: 'Knowledge bases',
    summary: 'Update FAQ entries',
    description: 'Updates the listed entries by their ids.',
    idOf: 'Id of the knowledge base',
    body: faqUpdateSchema,
    response: ({ faqAnswer }) => faqAnswer,
    problems: [404],
  },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints
