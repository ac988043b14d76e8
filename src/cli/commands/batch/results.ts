import * as z from 'zod/mini'
import { batchPlanSchema } from '../../../calls/batch/index.ts'
import { batchEventSchemas, ofCall, runEnds } from '../../../calls/batch/run/index.ts'
import {
  batchStatusSchema,
  personResultSchema,
  statusCountsSchema,
} from '../../../calls/batch/status/index.ts'
import { eventSchema, optional, required } from '../../../interface/fields.ts'

export const batchPlanResult = { document: batchPlanSchema }

/** `batch run` and `batch resume`. */
export const batchRunResult = {
  event: z.union([
    eventSchema('test-call', { ...ofCall, from: z.string() }),
    eventSchema('public-url', { url: z.string() }),
    eventSchema('ui', { url: z.string() }),
    ...batchEventSchemas,
    eventSchema('summary', {
      end: required(z.enum([...runEnds, 'failed']), 'Why the run ended'),
      reason: required(z.nullable(z.string()), 'Of a failure, or of a pause'),
      counts: statusCountsSchema,
      inProgress: required(z.int(), 'Calls that continue at the service'),
      invalid: required(z.int(), 'Rows with errors'),
    }),
  ]),
}

export const batchStatusResult = { document: batchStatusSchema }

/** `batch pause`, `cancel`, `add`, `remove` and `retry`. */
export const batchRequestResult = {
  document: z.object({
    batch: z.string(),
    isCancelled: z.boolean(),
    isPaused: z.boolean(),
    counts: required(z.nullable(statusCountsSchema), 'null for pause and cancel, which read no list'),
    invalid: optional(z.int(), 'Rows of an added list that cannot be called'),
  }),
}

export const batchExportResult = {
  document: z.union([
    z.object({ results: z.array(personResultSchema) }),
    z.object({ file: required(z.string(), 'With --out: the file that was written'), people: z.int() }),
  ]),
}
