import * as z from 'zod/mini'
import { alertFailedSchema, alertSchemas, guardTotalsSchema } from '../../../calls/guard/index.ts'
import { callTranscriptSchema } from '../../../events/conversation/change-schemas.ts'
import { execFailedSchema, execTotalsSchema } from '../../../events/exec/index.ts'
import {
  forwardFailureSchema,
  forwardRetrySchema,
  forwardTotalsSchema,
  resendSchema,
} from '../../../events/forward/index.ts'
import { summarySchema, tailEventSchemas } from '../../../events/receive/index.ts'
import { recorderTotalsSchema } from '../../../events/recordings/index.ts'
import { deliverySchema } from '../../../events/trigger/index.ts'
import { eventSchema, required } from '../../../interface/fields.ts'
import type { Immutable } from '../../../lib/json.ts'
import { readerNameSchema, relayEventSchemas } from '../../../relay/index.ts'

/** Summary of a tail with the totals of what it did with the events. */
const tailSummarySchema = z.extend(summarySchema, {
  recording: z.optional(recorderTotalsSchema),
  forwarding: z.optional(forwardTotalsSchema),
  exec: z.optional(execTotalsSchema),
  guard: z.optional(guardTotalsSchema),
})

export type TailSummary = Immutable<z.infer<typeof tailSummarySchema>>

export const webhookTailResult = {
  event: z.union([
    ...tailEventSchemas,
    forwardFailureSchema,
    forwardRetrySchema,
    execFailedSchema,
    tailSummarySchema,
    ...alertSchemas,
    alertFailedSchema,
    eventSchema('ui', { url: required(z.string(), 'Address of the page') }),
  ]),
}

export const webhookRelayResult = { event: z.union([...relayEventSchemas]) }

export const relayPositionsListResult = {
  document: z.object({ names: z.array(readerNameSchema) }),
}

export const relayPositionsRemoveResult = {
  document: z.object({ name: z.string(), removed: z.literal(true) }),
}

export const webhookReplayResult = {
  /** With --to. */
  document: resendSchema,
  event: z.union([...tailEventSchemas, tailSummarySchema, ...alertSchemas]),
}

export const webhookTriggerResult = { event: deliverySchema }

export const webhookShowResult = {
  document: z.union([
    z.object({ version: z.literal(1), calls: z.array(callTranscriptSchema) }),
    z.object({
      file: required(z.string(), 'With --out: the file that was written'),
      format: z.string(),
      calls: required(z.array(z.nullable(z.string())), 'Ids of the calls'),
    }),
  ]),
}
