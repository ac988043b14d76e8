import * as z from 'zod/mini'
import type { Infer } from '../lib/lazy.ts'
import { analysisResultSchema } from './analysis.ts'
import { assistant, at, callId, customer, recordFields } from './examples.ts'
import { describedSchema, looseSchema, named, optional, required } from './fields.ts'
import { assistantResponse, customerSchema, monitorSchema } from './responses.ts'
import { perVocabulary, type Vocabulary } from './vocabulary.ts'
import { directions, messageRoles, webhookStatuses } from './words.ts'

const time = { format: 'date-time' } as const

/** interface.md 2.9: the call inside an event. */
const webhookCallSchema = describedSchema('WebhookCall', 'A call as webhooks carry it', {
  id: required(z.string(), 'Id of the call'),
  teamId: optional(z.string(), 'Team that owns the call'),
  assistantId: optional(z.string(), 'Assistant that speaks'),
  callType: optional(z.string(), 'web is the one published value'),
  direction: optional(z.enum(directions), 'Direction of the call: who started it'),
  startAt: optional(z.string(), 'When the conversation began', time),
  endAt: optional(z.string(), 'When the conversation ended', time),
  userNumber: optional(z.string(), 'Number of the user'),
  assistantNumber: optional(z.string(), 'Number of the assistant'),
  status: required(z.enum(webhookStatuses), 'Status of the call'),
  phoneCallStatus: optional(z.string(), 'State of the phone line; ringing is the one published value'),
  callEndTriggerBy: optional(z.string(), 'Party that ended the call; user is the only published value'),
  monitor: optional(monitorSchema, 'URLs to control the call'),
  analysis: optional(analysisResultSchema(), 'Analysis after the call'),
})

/** interface.md 2.9: one thing that was said. */
const messageSchema = describedSchema('Message', 'A message of the conversation', {
  messageId: required(z.string(), 'The same in every webhook that carries the message'),
  role: required(z.enum(messageRoles), 'Speaker of the message'),
  text: required(z.string(), 'Text of the message'),
  timestamp: required(z.string(), 'Time of the message', time),
})

/** Record of an assistant, or an inline one without id. */
const webhookAssistant = (vocabulary: Vocabulary) =>
  named('WebhookAssistant', z.partial(assistantResponse(vocabulary)), 'An assistant as webhooks carry it')

/** interface.md 6: the body of a status-update. */
const statusUpdateSchema = perVocabulary(vocabulary =>
  looseSchema('StatusUpdate', {
    message: required(
      z.looseObject({
        type: required(z.literal('status-update'), 'Type of the event'),
        call: required(webhookCallSchema, 'The call, with its new status'),
        assistant: optional(webhookAssistant(vocabulary), 'The assistant of the call'),
        customer: optional(customerSchema, 'The called or calling person'),
        analysis: optional(analysisResultSchema(), 'Analysis after the call'),
      }),
      'The event',
    ),
  }),
)

/** interface.md 6: the body of a conversation-update. */
const conversationUpdateSchema = looseSchema('ConversationUpdate', {
  message: required(
    z.looseObject({
      type: required(z.literal('conversation-update'), 'Type of the event'),
      call: optional(webhookCallSchema, 'The call'),
      customer: optional(customerSchema, 'The called or calling person'),
      messages: required(z.array(messageSchema), 'All messages so far'),
    }),
    'The event',
  ),
})

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

/**
 * interface.md 6: the types of webhook events, and what is published about them; a deployment may send others. How callyard reads them:
 * src/events/conversation/read/event-kinds.ts.
 */
export const webhooks = {
  'status-update': {
    summary: 'The status of a call changed',
    description: 'The last one, with status finished, carries the analysis.',
    body: statusUpdateSchema,
    example: {
      message: {
        type: 'status-update',
        call,
        assistant: { _id: 'assistant-1', name: assistant.name },
        customer,
      },
    },
  },
  'conversation-update': {
    summary: 'The conversation gained messages',
    description: 'Carries everything said so far; a message keeps its messageId.',
    body: () => conversationUpdateSchema,
    example: {
      message: {
        type: 'conversation-update',
        call,
        messages: [
          { messageId: 'message-1', role: 'assistant', text: 'Hello Ada, how can I help?', timestamp: at },
          { messageId: 'message-2', role: 'user', text: 'When are you open?', timestamp: at },
        ],
      },
    },
  },
} as const

export type WebhookType = keyof typeof webhooks

export type StatusUpdate = Infer<typeof statusUpdateSchema>
export type ConversationUpdate = z.infer<typeof conversationUpdateSchema>
