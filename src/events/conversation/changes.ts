import type * as z from 'zod/mini'
import type { Immutable } from '../../lib/json.ts'
import type {
  callOriginSchema,
  callTranscriptSchema,
  changeSchemas,
  eventChangeSchema,
  messageChangeSchema,
  statusChangeSchema,
  transcriptMessageSchema,
  transcriptStatusSchema,
  unreadPartSchema,
} from './change-schemas.ts'

/** The call that a change belongs to. */
export type CallOrigin = Immutable<z.infer<typeof callOriginSchema>>

/** A call by its id, or by its number among those without one; events without a call have neither. */
export interface CallReference {
  readonly callId: string | null
  readonly conversation?: number | null | undefined
}

/** The key of a call, in all that is kept by call: its id, or the number of one without; 0 for the events of no call. */
export type CallKey = string | number

export function getCallKey({ callId, conversation = 0 }: CallOrigin): CallKey {
  return callId ?? conversation
}

export type MessageChange = Immutable<z.infer<typeof messageChangeSchema>>

/** A status not yet shown for this call, or an analysis that came with a status already shown. */
export type StatusChange = Immutable<z.infer<typeof statusChangeSchema>>

/** An event of another type, or with parts that are not what they should be. */
export type EventChange = Immutable<z.infer<typeof eventChangeSchema>>

export type Change = Immutable<z.infer<(typeof changeSchemas)[number]>>

/** A call is over: once for each, after the changes of the event that said so. */
export interface EndedEvent extends CallOrigin {
  readonly kind: 'ended'
  /** Type of that event. */
  readonly type: string
}

/** A message with its last text. */
export type TranscriptMessage = Immutable<z.infer<typeof transcriptMessageSchema>>

export type TranscriptStatus = Immutable<z.infer<typeof transcriptStatusSchema>>

export type UnreadPart = Immutable<z.infer<typeof unreadPartSchema>>

export type CallTranscript = Immutable<z.infer<typeof callTranscriptSchema>>

/** Text that events have about a call beside its course (interface.md 2.9 and 6). */
export type Fact = {
  [Field in keyof CallTranscript]: CallTranscript[Field] extends string | null ? Field : never
}[Exclude<keyof CallTranscript, 'callId' | 'firstAt' | 'lastAt'>]
