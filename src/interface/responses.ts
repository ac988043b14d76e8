import * as z from 'zod/mini'
import type { Infer } from '../lib/lazy.ts'
import { analysisResultSchema } from './analysis.ts'
import { inlineAssistantFields } from './assistant.ts'
import { faqEntrySchema } from './faq.ts'
import { describedSchema, looseSchema, named, optional, required } from './fields.ts'
import { toolSchema } from './tool.ts'
import { perVocabulary, type Vocabulary, wordEnum } from './vocabulary.ts'
import {
  callStatuses,
  directions,
  messageRoles,
  phoneVendors,
  type WebhookType,
  webhookStatuses,
} from './words.ts'

/**
 * Responses (interface.md 2) and webhooks (interface.md 6) of the service. These schemas document and do not validate: the client only
 * needs the id and keeps the rest unchanged (docs/interface-decisions.md), and the receiver accepts any JSON object (decision 0003).
 */

const time = { format: 'date-time' } as const
const url = { format: 'uri' } as const

const recordFields = {
  _id: required(z.string(), 'Id of the record'),
  teamId: required(z.string(), 'Team that owns the record'),
  createdAt: required(z.string(), 'When the record was made', time),
  updatedAt: required(z.string(), 'When the record was last changed', time),
}

/** interface.md 2.1: response of Create assistant. */
export const assistantResponse = perVocabulary(vocabulary =>
  describedSchema('AssistantRecord', 'An assistant with the fields that the service adds', {
    ...inlineAssistantFields(vocabulary),
    ...recordFields,
  }),
)

/** interface.md 2.5: response of Create tool and Update tool. */
export const toolResponse = describedSchema('ToolRecord', 'A tool as the service keeps it', {
  ...toolSchema().shape,
  ...recordFields,
})

/** interface.md 4.6 and 4.7: response of Insert and Update FAQ entries. */
export const faqAnswer = looseSchema('FaqEntries', {
  faq: required(
    z.array(describedSchema('FaqRecord', 'An FAQ entry as the service keeps it', faqEntrySchema().shape)),
    'Entries with their ids',
  ),
})

/** interface.md 4.1: response of Create call. */
export const startedCallResponse = looseSchema('StartedCall', {
  sid: required(z.string(), 'Id of the call, of the form CC-<uuid>'),
})

export const customerSchema = looseSchema('Customer', {
  number: required(z.string(), 'Phone number of the user'),
  name: optional(z.string(), 'Name of the user'),
})

export const monitorSchema = looseSchema('Monitor', {
  controlUrl: optional(z.string(), 'URL to watch and control the call', url),
})

/** interface.md 2.7: response of Connect call. */
export const callResponse = perVocabulary(vocabulary =>
  describedSchema('CallRecord', 'A call as the service keeps it', {
    id: required(z.string(), 'Id of the call, of the form CC-<uuid>'),
    teamId: required(z.string(), 'Team that owns the call'),
    assistantId: optional(z.string(), 'Assistant that speaks'),
    phoneNumberId: optional(z.string(), 'Phone number that is used'),
    direction: required(z.enum(directions), 'Direction of the call: who started it', { default: 'outbound' }),
    createdAt: recordFields.createdAt,
    updatedAt: recordFields.updatedAt,
    customer: required(customerSchema, 'The called or calling person'),
    status: required(z.enum(callStatuses), 'Status of the call', { default: 'queued' }),
    metadata: optional(z.record(z.string(), z.unknown()), 'Metadata that the client sent with the call'),
    phoneVendor: optional(wordEnum(vocabulary, phoneVendors), 'Phone vendor of the call', {
      default: vocabulary[phoneVendors[0]] ?? phoneVendors[0],
    }),
    phoneVendorDetails: optional(vendorDetails(vocabulary), 'Settings for the phone vendor'),
    monitor: optional(monitorSchema, 'URLs to control the call'),
  }),
)

function vendorDetails(vocabulary: Vocabulary) {
  return z.looseObject({
    from: optional(z.string(), 'Number that calls'),
    to: optional(z.string(), 'Called number'),
    [`${vocabulary['<vendor>'] ?? '<vendor>'}ml`]: optional(z.string(), 'Markup for the phone vendor'),
    responseType: optional(z.string(), 'Type of the response to the phone vendor'),
    statusCallback: optional(z.string(), 'URL with the id of the call in it', url),
    statusCallbackEvent: optional(z.array(z.string()), 'Events that the phone vendor reports'),
  })
}

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
export const statusUpdateSchema = perVocabulary(vocabulary =>
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
export const conversationUpdateSchema = looseSchema('ConversationUpdate', {
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

/** Type of an event → its body. */
export const webhookEventSchemas = {
  'status-update': statusUpdateSchema,
  'conversation-update': () => conversationUpdateSchema,
} as const satisfies Record<WebhookType, unknown>

export type StatusUpdate = Infer<typeof statusUpdateSchema>
export type ConversationUpdate = z.infer<typeof conversationUpdateSchema>

/** interface.md 4.8: response of a receiver. */
export const receiverResponseSchema = looseSchema('ReceiverResponse', {
  message: required(z.string(), 'Any text'),
})
