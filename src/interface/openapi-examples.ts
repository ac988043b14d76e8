import type { EndpointName } from './endpoints.ts'
import type { WebhookType } from './words.ts'

const at = '2026-01-12T09:30:00.000Z'
const callId = 'CC-7d3f2c1e-58a4-4c0e-9a53-2f1d8f6f0b11'
const record = { teamId: 'team-1', createdAt: at, updatedAt: at }

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

/** A body and an answer for each endpoint. */
export const endpointExamples: Readonly<
  Record<EndpointName, { readonly body: object; readonly answer: object }>
> = {
  startCall: {
    body: {
      userNumber: customer.number,
      assistantNumber: '+12025550100',
      assistantId: 'assistant-1',
      assistantOverrides: { dynamicVariables: { name: 'Ada' } },
    },
    answer: { sid: callId },
  },
  connectCall: {
    body: { direction: 'outbound', phoneNumberId: 'number-1', customer, assistantId: 'assistant-1' },
    answer: {
      id: callId,
      ...record,
      assistantId: 'assistant-1',
      phoneNumberId: 'number-1',
      direction: 'outbound',
      customer,
      status: 'queued',
      monitor: { controlUrl: `https://api.example.com/calls/v1/conversations/${callId}/control` },
    },
  },
  createAssistant: { body: assistant, answer: { ...assistant, _id: 'assistant-1', ...record } },
  createTool: { body: tool, answer: { ...tool, async: false, _id: 'tool-1', ...record } },
  updateTool: { body: { async: true }, answer: { ...tool, async: true, _id: 'tool-1', ...record } },
  insertFaq: { body: { faq: [question] }, answer: { faq: [entry] } },
  updateFaq: { body: { faq: [entry] }, answer: { faq: [entry] } },
}

const call = {
  id: callId,
  teamId: record.teamId,
  assistantId: 'assistant-1',
  callType: 'web',
  direction: 'outbound',
  startAt: at,
  userNumber: customer.number,
  assistantNumber: '+12025550100',
  status: 'ongoing',
}

/** A body for each type of webhook. */
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

export const receiverAnswerExample = { message: 'received' }
