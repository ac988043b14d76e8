import * as z from 'zod/mini'
import { assistantAnswer, callAnswer, faqAnswer, startedCallAnswer, toolAnswer } from './answers.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import { required, someText } from './fields.ts'
import { type Operation, openApiDocument } from './openapi-document.ts'
import { endpointExamples, receiverAnswerExample, webhookExamples } from './openapi-examples.ts'
import type { Vocabulary } from './vocabulary.ts'
import { receiverAnswerSchema, webhookEventSchemas } from './webhook-events.ts'
import type { WebhookType } from './words.ts'

interface OpenApiOptions {
  readonly vocabulary?: Vocabulary | undefined
  /** Default: a variable for the base URL. */
  readonly servers?: readonly object[]
  /** Schemas that stand in place of the interface's of the same name: a server may say more of its shapes. */
  readonly replaced?: readonly z.ZodMiniType[]
  /** What a server has beside the interface. */
  readonly more?: {
    readonly tag: { readonly name: string; readonly description: string }
    readonly operations: readonly Operation[]
  }
}

/** OpenAPI 3.1 of the seven endpoints (interface.md 4) and of the webhooks (interface.md 6). */
export function openApi(options: OpenApiOptions = {}): Record<string, unknown> {
  const { vocabulary, servers = [anyServer], replaced, more } = options
  const operation = (id: EndpointName, answer: z.ZodMiniType, words: Words): Operation => {
    const { method, path, body } = endpoints[id]
    return {
      id,
      method,
      path,
      ...words,
      body: body(vocabulary),
      answer,
      examples: endpointExamples[id],
    }
  }
  const webhook = (type: WebhookType, words: Pick<Words, 'summary' | 'description'>) => ({
    type,
    ...words,
    body: webhookEventSchemas[type](vocabulary),
    answer: receiverAnswerSchema,
    examples: { body: webhookExamples[type], answer: receiverAnswerExample },
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
    operations: [
      operation('startCall', startedCallAnswer, {
        tag: 'Calls',
        summary: 'Create call',
        description: `Starts an outbound call from the assistant to the user. ${whoTalks}`,
        problems: [404, 503],
      }),
      operation('connectCall', callAnswer(vocabulary), {
        tag: 'Calls',
        summary: 'Connect call',
        description: `Places a call by the id of a phone number, in either direction. ${whoTalks}`,
        problems: [404, 503],
      }),
      operation('createAssistant', assistantAnswer(vocabulary), {
        tag: 'Assistants',
        summary: 'Create assistant',
      }),
      operation('createTool', toolAnswer, { tag: 'Tools', summary: 'Create tool' }),
      operation('updateTool', toolAnswer, {
        tag: 'Tools',
        summary: 'Update tool',
        description: 'Replaces the fields that the body holds; type is not part of it.',
        pathParameters: idOf('Id of the tool'),
        problems: [404],
      }),
      operation('insertFaq', faqAnswer, {
        tag: 'Knowledge bases',
        summary: 'Insert FAQ entries',
        pathParameters: idOf('Id of the knowledge base'),
      }),
      operation('updateFaq', faqAnswer, {
        tag: 'Knowledge bases',
        summary: 'Update FAQ entries',
        description: 'Updates the listed entries by their ids.',
        pathParameters: idOf('Id of the knowledge base'),
        problems: [404],
      }),
      ...(more?.operations ?? []),
    ],
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
    ...(replaced === undefined ? {} : { replaced }),
  })
}

type Words = Pick<Operation, 'tag' | 'summary' | 'description' | 'pathParameters' | 'problems'>

const about = [
  'Calls that assistants hold by phone: assistants, function tools, FAQ entries and calls.',
  'Refusals are described as the sandbox of callwright answers them; the service publishes no shape of its own.',
  'The service sends the webhooks to the assistantServer of an assistant.',
].join(' ')

const whoTalks =
  'An assistant in the body wins over assistantId; without either, the default assistant of the phone number talks.'

const anyServer = {
  url: '{baseUrl}',
  variables: { baseUrl: { default: 'https://api.example.com', description: 'Base URL of the deployment' } },
}

function idOf(description: string) {
  return z.object({ id: required(someText(), description) })
}
