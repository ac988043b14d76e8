import * as z from 'zod/mini'
import { inlineAssistantFields } from './assistant.ts'
import { faqEntrySchema } from './faq.ts'
import { describedSchema, looseSchema, optional, required } from './fields.ts'
import { toolSchema } from './tool.ts'
import { perVocabulary, type Vocabulary, wordEnum } from './vocabulary.ts'
import { callStatuses, directions, phoneVendors } from './words.ts'

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

/** interface.md 4.8: response of a receiver. */
export const receiverResponseSchema = looseSchema('ReceiverResponse', {
  message: required(z.string(), 'Any text'),
})
