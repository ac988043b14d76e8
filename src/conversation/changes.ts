/** What a change belongs to. */
export interface CallOrigin {
  readonly callId: string | null
  /** Tells calls apart whose events name none, from 1; absent where the call has an id, and for an event of no call. */
  readonly conversation?: number
}

/** The key of a call, in all that is kept by call: its id, or the number of one without; 0 for the events of no call. */
export type CallKey = string | number

export function callKeyOf({ callId, conversation = 0 }: CallOrigin): CallKey {
  return callId ?? conversation
}

interface TypedOrigin extends CallOrigin {
  /** The type of the event; absent for the type in which interface.md 6 has this. */
  readonly type?: string
}

/** A message seen for the first time. `messageId` is null where the service sent none. */
export interface MessageChange extends TypedOrigin {
  readonly kind: 'message'
  readonly messageId: string | null
  readonly role: string
  readonly text: string
  /** ISO 8601, or what came where that is no time. */
  readonly timestamp: string | undefined
}

/** A known message whose text changed. `before` is undefined when the old text is no longer kept. */
export interface EditChange extends Omit<MessageChange, 'kind' | 'messageId'> {
  readonly kind: 'edit'
  readonly messageId: string
  readonly before: string | undefined
}

/** A status not yet shown for this call, or an analysis that came with a status already shown. */
export interface StatusChange extends TypedOrigin {
  readonly kind: 'status'
  /** Status as received; `finished` for an end without a status, `unknown` for an analysis without one. */
  readonly status: string
  /** Present when the call has ended with it. */
  readonly ended?: true
  readonly [fact: string]: unknown
  readonly analysis?: Readonly<Record<string, unknown>>
}

/** What we have no reading for: another type, or a part of an event that is not what it should be. */
export interface EventChange extends CallOrigin {
  readonly kind: 'event'
  readonly type: string
  /** What could not be read, by its path: `call.status is an object`. Absent where nothing is odd. */
  readonly odd?: readonly string[]
  readonly event: unknown
}

/** An item of `messages` that is not a message. */
export interface MalformedChange extends TypedOrigin {
  readonly kind: 'malformed'
  /** `messages[2]`. */
  readonly path: string
  readonly item: unknown
}

export type Change = MessageChange | EditChange | StatusChange | EventChange | MalformedChange

/** A call is over: once for each, after the changes of the event that said so. */
export interface EndedEvent extends CallOrigin {
  readonly kind: 'ended'
  /** Of that event. */
  readonly type: string
}

/** A message with its last text. */
export interface TranscriptMessage {
  readonly messageId: string | null
  readonly role: string
  readonly text: string
  /** ISO 8601; what the service sent where that is no time. */
  readonly timestamp: string | null
  /** Whether its text was changed after it first arrived. */
  readonly edited: boolean
}

export interface TranscriptStatus {
  readonly status: string
  readonly phoneCallStatus: string | null
  /** When it arrived, ISO 8601. */
  readonly at: string
}

/** A part of an event that is neither message nor status, as it came. */
export interface UnreadPart {
  /** Arrival, ISO 8601. */
  readonly at: string
  /** Of an event; null for an item of `messages`. */
  readonly type: string | null
  /** Of an item: `messages[2]`; null for an event. */
  readonly path: string | null
  /** What in the event could not be read: `call.status is an object`. */
  readonly odd: readonly string[]
  readonly value: unknown
}

/**
 * What events tell of a call beside what happened (interface.md 2.9 and 6), as text: times in ISO 8601, or as they came where
 * they are none.
 */
export type Fact =
  | 'direction'
  | 'callType'
  | 'userNumber'
  | 'assistantNumber'
  | 'teamId'
  | 'assistantId'
  | 'assistantName'
  | 'customerName'
  | 'startAt'
  | 'endAt'
  | 'callEndTriggerBy'

/** One recorded call, each message once. What no event says is null. */
export interface CallTranscript extends Readonly<Record<Fact, string | null>> {
  /** null for a call whose events do not name it, and for the events of no call. */
  readonly callId: string | null
  /** Tells the calls without id of a recording apart, from 1; null for one with an id, and for the events of no call. */
  readonly conversation: number | null
  /** Arrival of its first and last event, ISO 8601. */
  readonly firstAt: string
  readonly lastAt: string
  /** Whether an event said that it is over. */
  readonly ended: boolean
  /** In the order of arrival. */
  readonly statuses: readonly TranscriptStatus[]
  readonly messages: readonly TranscriptMessage[]
  /** interface.md 2.9, with fields that it does not name. */
  readonly analysis: Readonly<Record<string, unknown>> | null
  /** Types of events that are no part of a conversation, with their number. */
  readonly otherEvents: Readonly<Record<string, number>>
  /** Items among the messages that are none. */
  readonly malformedItems: number
  /** The first hundred of both. */
  readonly unread: readonly UnreadPart[]
}
