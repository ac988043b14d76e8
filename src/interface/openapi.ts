import type * as z from 'zod/mini'
import { type Endpoint, type EndpointName, endpoints } from './endpoints.ts'
import { assistant, callId, customer, recordFields } from './examples.ts'
import { openApiDocument } from './openapi-document.ts'
import { receiverResponseSchema } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'
import { webhooks } from './webhooks.ts'

interface OpenApiOptions {
  readonly vocabulary?: Vocabulary | undefined
  /** Default: a variable for the base URL. */
  readonly servers?: readonly object[]
  /** Schemas that replace those of the interface with the same name, because a server may document more of its shapes. */
  readonly replaced?: readonly z.ZodMiniType[]
  /** Additional endpoints of a server. */
  readonly more?: {
    readonly tag: { readonly name: string; readonly description: string }
    readonly endpoints: readonly Endpoint[]
  }
}

/** OpenAPI 3.1 of the seven endpoints (interface.md 4) and of the webhooks (interface.md 6). */
export function openApi(options: OpenApiOptions = {}): Record<string, unknown> {
  const { vocabulary, servers = [anyServer], replaced, more } = options
  return openApiDocument({
    title: 'Voice assistant calling service',
    version: 'v1',
    description: about,
    servers,
    tags: [
      { name: 'Calls', description: 'Place calls' },
      { name: 'Assistants', description: 'Create assistants' },
      { name: 'Tools', description: 'Create and update function tools, which assistants call' },
      { name: 'Knowledge bases', description: 'Insert and update FAQ entries' },
      ...(more === undefined ? [] : [more.tag]),
    ],
    security: { name: 'apiKey', description: 'The API key, from the dashboard of the service' },
    endpoints: [
      ...Object.values(endpoints).map(endpoint => ({ ...endpoint, examples: endpointExamples[endpoint.id] })),
      ...(more?.endpoints ?? []),
    ],
    vocabulary,
    webhooks: Object.entries(webhooks).map(([type, { body, example, ...words }]) => ({
      ...words,
      type,
      body: body(vocabulary),
      response: receiverResponseSchema,
      examples: { body: example, response: receiverResponseExample },
    })),
    replaced,
  })
}

const about = [
  'Calls that assistants hold by phone: assistants, function tools, FAQ entries and calls.',
  'Errors are described as the callyard sandbox returns them; the service publishes no shape of its own.',
  'The service sends the webhooks to the assistantServer of an assistant.',
].join(' ')

const anyServer = {
  url: '{baseUrl}',
  variables: { baseUrl: { default: 'https://api.example.com', description: 'Base URL of the deployment' } },
}

const tool = {
  type: 'function',
  function: {
    name: 'opening_hours',
    description: 'Tells when the shop is open',
    parameters: { type: 'object', properties: { day: { type: 'string' } } },
  },
  server: { url: 'https://example.com/tools/opening-hours' },
}

const question = { question: 'When are you open?', answer: 'From nine to five.', category: 'hours' }
const entry = { id: 'faq-1', ...question }

export const endpointExamples: Readonly<
  Record<EndpointName, { readonly body: object; readonly response: object }>
> = {
  startCall: {
    body: {
      userNumber: customer.number,
      assistantNumber: '+12025550100',
      assistantId: 'assistant-1',
      assistantOverrides: { dynamicVariables: { name: 'Ada' } },
    },
    response: { sid: callId },
  },
  connectCall: {
    body: { direction: 'outbound', phoneNumberId: 'number-1', customer, assistantId: 'assistant-1' },
    response: {
      id: callId,
      ...recordFields,
      assistantId: 'assistant-1',
      phoneNumberId: 'number-1',
      direction: 'outbound',
      customer,
      status: 'queued',
      monitor: { controlUrl: `https://api.example.com/calls/v1/conversations/${callId}/control` },
    },
  },
  createAssistant: { body: assistant, response: { ...assistant, _id: 'assistant-1', ...recordFields } },
  createTool: { body: tool, response: { ...tool, async: false, _id: 'tool-1', ...recordFields } },
  updateTool: { body: { async: true }, response: { ...tool, async: true, _id: 'tool-1', ...recordFields } },
  insertFaq: { body: { faq: [question] }, response: { faq: [entry] } },
  updateFaq: { body: { faq: [entry] }, response: { faq: [entry] } },
}

export const receiverResponseExample = { message: 'received' }
