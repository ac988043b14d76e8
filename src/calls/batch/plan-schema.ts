import * as z from 'zod/mini'
import { diagnosticSchema } from '../../files/source/diagnostic-schema.ts'
import { objectList, required, requiredList } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

/** Rows of the lists that are not called, by reason. */
export const skippedRowsSchema = z.object({
  invalid: required(z.int(), 'Rows with errors'),
  duplicate: required(z.int(), 'Rows of a person who is in a list already'),
  doNotCall: required(
    z.int(),
    'Rows of people who are not called, by a do-not-call list or by the row itself',
  ),
})

const batchCalls = z.object({
  first: required(z.int(), 'First calls to each person'),
  most: required(z.int(), 'Calls with all attempts'),
})

/** A plan of a batch, as --json prints it. */
export const batchPlanSchema = z.object({
  batch: required(z.string(), 'Name of the batch'),
  rows: z.int(),
  people: required(z.int(), 'Number of people to call'),
  skipped: skippedRowsSchema,
  called: required(z.int(), 'Number of people who were called'),
  calls: required(batchCalls, 'Number of calls within the limits'),
  minutes: required(
    z.object({
      expected: required(z.nullable(z.int()), 'Of the first calls, by the calls so far'),
      most: required(z.nullable(z.int()), 'By the longest duration of a call and limit.minutes'),
    }),
    'Minutes of these calls; null if unknown',
  ),
  callbacks: requiredList('Promised, earliest first', { person: z.string(), at: z.string() }),
  leastSeconds: required(z.nullable(batchCalls), 'Time that the calls need at the rate; null without one'),
  until: required(z.nullable(z.string()), 'ISO 8601; null without an end'),
  zones: requiredList('People by time zone, in the order in which the window opens', {
    zone: z.string(),
    people: z.int(),
    opensAt: required(z.string(), 'When they can be called first, ISO 8601'),
    openSeconds: required(
      z.nullable(z.number()),
      'Time in which they can be called before the end; null without an end, or if it is more than a year away',
    ),
  }),
  lists: objectList({
    file: z.string(),
    to: required(z.array(z.string()), 'Columns with numbers'),
    name: z.nullable(z.string()),
    timezone: z.nullable(z.string()),
    id: z.nullable(z.string()),
    consent: required(z.array(z.string()), 'Columns that say who consents to calls'),
    doNotCall: required(z.array(z.string()), 'Columns that say who must not be called'),
    variables: required(z.array(z.string()), 'Variables that have a column and are sent'),
  }),
  findings: required(z.array(diagnosticSchema), 'At most a hundred for each code'),
  counts: required(z.record(z.string(), z.int()), 'Number of findings by code'),
  check: required(z.nullable(z.string()), 'Command that decides who is called'),
  digest: required(z.string(), 'Hash of the settings, the assistant and the rows'),
  example: required(
    z.nullable(z.object({ method: z.string(), path: z.string(), body: z.record(z.string(), z.unknown()) })),
    'Request of the first call; null if nobody is called',
  ),
})
export type BatchPlanDocument = Immutable<z.infer<typeof batchPlanSchema>>
