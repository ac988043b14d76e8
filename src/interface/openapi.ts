import type * as z from 'zod/mini'
import { type Endpoint, type EndpointName, endpoints } from './endpoints.ts'
import { openApiDocument } from './openapi-document.ts'
import { receiverResponseSchema, webhookEventSchemas } from './responses.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { WebhookType } from './words.ts'

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
  const webhook = (type: WebhookType, words: { readonly summary: string; readonly description: string }) => ({
    type,
    ...words,
    body: webhookEventSchemas[type](vocabulary),
    response: receiverResponseSchema,
    examples: { body: webhookExamples[type], response: receiverResponseExample },
  })
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
    webhooks: [
      webhook('status-update', {
        summary: 'The status of a call changed',
        description: 'The last one, with status finished, carries the analysis.',
      }),
      webhook('conversation-update', {
        summary: 'The conversation gained messages',
        description: 'Carries everything said so far; a message keeps its messageId.',
      }),
    ],
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

const at = '2026-01-12T09:30:00.000Z'
const callId = 'CC-7d3f2c1e-58a4-4c0e-9a53-2f1d8f6f0b11'
const recordFields = { teamId: 'team-1', createdAt: at, updatedAt: at }

const assistant = {
  name: 'Front desk',
  welcomeMessage: 'Hello {{name}}, how can I help?',
  assistantSystemPrompt: 'You answer questions about opening hours.',
  assistantPredefinedTools: { knowledgeBase: true, endCall: true },
  assistantKnowledgeBaseIds: ['desk'],
  endCallPhrases: ['goodbye'],
  assistantServer: { url: 'https://example.com/calls' },
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
const customer = { number: '+12025550123', name: 'Ada' }

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

const call = {
  id: callId,
  teamId: recordFields.teamId,
  assistantId: 'assistant-1',
  callType: 'web',
  direction: 'outbound',
  startAt: at,
  userNumber: customer.number,
  assistantNumber: '+12025550100',
  status: 'ongoing',
}

export const webhookExamples: Readonly<Record<WebhookType, object>> = {
  'status-update': {
    message: {
      type: 'status-update',
      call,
      assistant: { _id: 'assistant-1', name: assistant.name },
      customer,
    },
  },
  'conversation-update': {
    message: {
      type: 'conversation-update',
      call,
      messages: [
        { messageId: 'message-1', role: 'assistant', text: 'Hello Ada, how can I help?', timestamp: at },
        { messageId: 'message-2', role: 'user', text: 'When are you open?', timestamp: at },
      ],
    },
  },
}

export const receiverResponseExample = { message: 'received' }
