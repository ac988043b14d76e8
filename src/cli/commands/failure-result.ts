import * as z from 'zod/mini'
import { eventSchema, optional, required } from '../../interface/fields.ts'
import { errorKinds } from '../../lib/error.ts'

/** The error of a command, with its details beside the fields that every error has. */
export const errorSchema = z.looseObject({
  kind: required(z.enum(errorKinds), 'Kind of failure; each has one exit code'),
  exitCode: required(z.int(), 'Exit code of the command'),
  code: optional(z.string(), 'Case within the kind'),
  message: required(z.string(), 'What happened'),
  hint: optional(z.string(), 'What to do next'),
  next: optional(
    z.array(z.string()),
    'Complete commands that may help; none of them changes the service or rings a phone',
  ),
})

/** The document of a command that fails before it has a result, and the last line of a stream that fails. */
export const failureSchema = z.object({ kind: z.literal('error'), error: errorSchema })

/** A line of any stream whose reader stalled. */
export const eventsDroppedSchema = eventSchema('events-dropped', {
  events: required(
    z.int(),
    'Number of events that were dropped before this line, because the reader stalled',
  ),
})
