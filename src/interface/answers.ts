import * as z from 'zod/mini'
import { inlineAssistantFields } from './assistant.ts'
import { faqEntrySchema } from './faq.ts'
import { looseSchema, named, optional, required } from './fields.ts'
import { toolSchema } from './tool.ts'
import { perVocabulary, type Vocabulary, wordEnum } from './vocabulary.ts'
import { callStatuses, directions, phoneVendors } from './words.ts'

/**
 * What the service answers, field by field (interface.md 2). The client asks for the id alone and keeps the rest as it came
 * (decision 0018): these schemas describe, they do not check.
 */

const time = { format: 'date-time' } as const
const url = { format: 'uri' } as const

const recordFields = {
  _id: required(z.string(), 'Id of the record'),
  teamId: required(z.string(), 'Team that owns the record'),
  createdAt: required(z.string(), 'When the record was made', time),
  updatedAt: required(z.string(), 'When the record was last changed', time),
}

/** interface.md 2.1: the answer of Create assistant. */
export const assistantAnswer = perVocabulary(vocabulary =>
  looseSchema(
    'AssistantRecord',
    { ...inlineAssistantFields(vocabulary), ...recordFields },
    'An assistant as the service keeps it',
  ),
)

/** interface.md 2.5: the answer of Create tool and Update tool. */
export const toolAnswer = looseSchema(
  'ToolRecord',
  { ...toolSchema().shape, ...recordFields },
  'A tool as the service keeps it',
)

/** interface.md 4.6 and 4.7: the answer of Insert and Update FAQ entries. */
export const faqAnswer = looseSchema('FaqEntries', {
  faq: required(
    z.array(
      named('FaqRecord', z.looseObject(faqEntrySchema().shape), 'An FAQ entry as the service keeps it'),
    ),
    'Entries with their ids',
  ),
})

/** interface.md 4.1: the answer of Create call. */
export const startedCallAnswer = looseSchema('StartedCall', {
  sid: required(z.string(), 'Id of the call, of the form CC-<uuid>'),
})

export const customerSchema = looseSchema('Customer', {
  number: required(z.string(), 'Phone number of the user'),
  name: optional(z.string(), 'Name of the user'),
})

export const monitorSchema = looseSchema('Monitor', {
  controlUrl: optional(z.string(), 'Where the call is watched and controlled', url),
})

/** interface.md 2.7: the answer of Connect call. */
export const callAnswer = perVocabulary(vocabulary =>
  looseSchema(
    'CallRecord',
    {
      id: required(z.string(), 'Id of the call, of the form CC-<uuid>'),
      teamId: required(z.string(), 'Team that owns the call'),
      assistantId: optional(z.string(), 'Assistant that speaks'),
      phoneNumberId: optional(z.string(), 'Phone number that is used'),
      direction: required(z.enum(directions), 'Who began the call', { default: 'outbound' }),
      createdAt: recordFields.createdAt,
      updatedAt: recordFields.updatedAt,
      customer: required(customerSchema, 'Who is called, or calls'),
      status: required(z.enum(callStatuses), 'Status of the call', { default: 'queued' }),
      metadata: optional(z.record(z.string(), z.unknown()), 'What the client sent with the call'),
      phoneVendor: optional(wordEnum(vocabulary, phoneVendors), 'Who carries the call', {
        default: vocabulary[phoneVendors[0]] ?? phoneVendors[0],
      }),
      phoneVendorDetails: optional(vendorDetails(vocabulary), 'What the phone vendor is asked for'),
      monitor: optional(monitorSchema, 'Where the call is controlled'),
    },
    'A call as the service keeps it',
  ),
)

function vendorDetails(vocabulary: Vocabulary) {
  return z.looseObject({
    from: optional(z.string(), 'Number that calls'),
    to: optional(z.string(), 'Number that is called'),
    [`${vocabulary['<vendor>'] ?? '<vendor>'}ml`]: optional(z.string(), 'Markup for the phone vendor'),
    responseType: optional(z.string(), 'Kind of the answer to the phone vendor'),
    statusCallback: optional(z.string(), 'URL with the id of the call in it', url),
    statusCallbackEvent: optional(z.array(z.string()), 'Events that the phone vendor reports'),
  })
}
