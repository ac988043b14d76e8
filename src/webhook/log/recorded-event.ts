import * as z from 'zod/mini'

/** A line of a recording: one accepted event, as it came. */
export const recordedEventSchema = z.object({
  kind: z.literal('recorded'),
  version: z.literal(1),
  /** When it arrived, ISO 8601 with milliseconds. */
  at: z.iso.datetime(),
  /** Names in lower case; values of secrets are `****`. */
  headers: z.record(z.string(), z.string()),
  /** The bytes of the body, which are UTF-8, exactly. */
  body: z.string(),
})

export type RecordedEvent = z.infer<typeof recordedEventSchema>

/** A line that is none, which is skipped: the last one of a recording that was killed, or garbage. */
export interface SkippedLine {
  readonly kind: 'skipped'
  readonly file: string
  /** From 1. */
  readonly line: number
  /** Whether it is the last line and has no end: it was being written when the process died. */
  readonly torn: boolean
}

/** What reading a recording gives, in the order of the file. */
export type RecordingItem = RecordedEvent | SkippedLine
