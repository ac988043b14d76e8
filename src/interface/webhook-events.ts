import * as z from 'zod/mini'
import { analysisResultSchema } from './analysis.ts'
import { assistantAnswer, customerSchema, monitorSchema } from './answers.ts'
import { looseSchema, named, optional, required } from './fields.ts'
import { perVocabulary, type Vocabulary } from './vocabulary.ts'
import { directions, messageRoles, type WebhookType, webhookStatuses } from './words.ts'

/**
 * The webhooks of interface.md 6, field by field. The receiver takes any JSON object (decision 0003):
 * these schemas describe, they do not check.
 */

const time = { format: 'date-time' } as const

/** interface.md 2.9: the call inside an event. */
const webhookCallSchema = looseSchema(
  'WebhookCall',
  {
    id: required(z.string(), 'Id of the call'),
    teamId: optional(z.string(), 'Team that owns the call'),
    assistantId: optional(z.string(), 'Assistant that speaks'),
    callType: optional(z.string(), 'web is the one published value'),
    direction: optional(z.enum(directions), 'Who began the call'),
    startAt: optional(z.string(), 'When the conversation began', time),
    endAt: optional(z.string(), 'When the conversation ended', time),
    userNumber: optional(z.string(), 'Number of the user'),
    assistantNumber: optional(z.string(), 'Number of the assistant'),
    status: required(z.enum(webhookStatuses), 'Status of the call'),
    phoneCallStatus: optional(z.string(), 'State of the phone line; ringing is the one published value'),
    callEndTriggerBy: optional(z.string(), 'Who ended the call; user is the one published value'),
    monitor: optional(monitorSchema, 'Where the call is controlled'),
    analysis: optional(analysisResultSchema(), 'What was worked out after the call'),
  },
  'A call as webhooks carry it',
)

/** interface.md 2.9: one thing that was said. */
const messageSchema = looseSchema(
  'Message',
  {
    messageId: required(z.string(), 'The same in every webhook that carries the message'),
    role: required(z.enum(messageRoles), 'Who said it'),
    text: required(z.string(), 'What was said'),
    timestamp: required(z.string(), 'When it was said', time),
  },
  'One thing that was said',
)

/** The record of an assistant, or one that stands in its call alone and has no id. */
const webhookAssistant = (vocabulary: Vocabulary) =>
  named('WebhookAssistant', z.partial(assistantAnswer(vocabulary)), 'An assistant as webhooks carry it')

/** interface.md 6: the body of a status-update. */
export const statusUpdateSchema = perVocabulary(vocabulary =>
  looseSchema('StatusUpdate', {
    message: required(
      z.looseObject({
        type: required(z.literal('status-update'), 'Type of the event'),
        call: required(webhookCallSchema, 'The call, with its new status'),
        assistant: optional(webhookAssistant(vocabulary), 'The assistant of the call'),
        customer: optional(customerSchema, 'Who is called, or calls'),
        analysis: optional(analysisResultSchema(), 'What was worked out after the call'),
      }),
      'The event',
    ),
  }),
)

/** interface.md 6: the body of a conversation-update. */
export const conversationUpdateSchema = looseSchema('ConversationUpdate', {
  message: required(
    z.looseObject({
      type: required(z.literal('conversation-update'), 'Type of the event'),
      call: optional(webhookCallSchema, 'The call'),
      customer: optional(customerSchema, 'Who is called, or calls'),
      messages: required(z.array(messageSchema), 'Everything said so far'),
    }),
    'The event',
  ),
})

/** Type of an event → its body. */
export const webhookEventSchemas = {
  'status-update': statusUpdateSchema,
  'conversation-update': () => conversationUpdateSchema,
} as const satisfies Record<WebhookType, unknown>

export type StatusUpdate = z.infer<ReturnType<typeof statusUpdateSchema>>
export type ConversationUpdate = z.infer<typeof conversationUpdateSchema>

/** interface.md 4.8: what a receiver answers. */
export const receiverAnswerSchema = looseSchema('ReceiverAnswer', {
  message: required(z.string(), 'Any text'),
})
