import * as z from 'zod/mini'
import { storedRecordSchema } from '../../../files/formats/control-api.ts'
import { objectList, optional, required } from '../../../interface/fields.ts'
import { notStoredSchema } from '../../../service/api/index.ts'

export const toolUpdateResult = {
  document: z.union([
    z.object({ _id: z.string(), unchanged: required(z.literal(true), 'Nothing was sent') }),
    z.extend(storedRecordSchema(), { notStored: notStoredSchema }),
  ]),
}

const milliseconds = required(z.int(), 'Time that the response took')

const responseSchema = z.union([
  z.object({
    status: z.int(),
    milliseconds,
    body: required(z.unknown(), 'JSON of the response; its text if it is not JSON'),
  }),
  z.object({ failure: required(z.string(), 'Reason for the missing response'), milliseconds }),
])

export const toolTryResult = {
  document: z.object({
    tool: required(z.string(), 'Name of the function'),
    file: z.string(),
    async: z.boolean(),
    request: z.object({
      method: z.literal('POST'),
      url: z.string(),
      headers: required(z.record(z.string(), z.string()), 'Secrets are masked'),
      timeoutSeconds: z.number(),
      body: z.unknown(),
    }),
    dryRun: optional(z.boolean(), 'Nothing was sent'),
    answer: z.optional(responseSchema),
    said: optional(
      objectList({ text: z.string(), milliseconds: required(z.number(), 'Time since the call of the tool') }),
      'What the assistant said meanwhile',
    ),
    content: optional(z.string(), 'JSON text for the model'),
    failure: optional(z.string(), 'Why the tool failed'),
  }),
}
