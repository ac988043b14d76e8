import * as z from 'zod/mini'
import { eventSchema, optional, required } from '../../../interface/fields.ts'
import { sandboxEventSchemas } from '../../../sandbox/event-schemas.ts'

const file = required(z.string(), 'Snapshot; - for stdin or stdout')
const entries = required(z.int(), 'Number of records')

export const sandboxExportResult = {
  document: z.object({ file, from: required(z.string(), 'Sandbox or file of records'), entries }),
}

export const sandboxImportResult = {
  document: z.object({ file, into: required(z.string(), 'Sandbox or file of records'), entries }),
}

const time = required(z.string(), 'ISO 8601', { format: 'date-time' })

export const sandboxStartResult = {
  event: z.union([
    eventSchema('ready', {
      time,
      baseUrl: z.string(),
      apiKey: optional(z.string(), 'Missing if the environment gave it'),
      controlToken: optional(z.string(), 'Token of the control API'),
      seed: z.optional(z.int()),
    }),
    eventSchema('ui', { time, url: z.string() }),
    ...sandboxEventSchemas.map(schema => z.extend(schema, { time })),
  ]),
}
