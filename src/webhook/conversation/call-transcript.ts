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

/** One recorded call, each message once. What no event told is null. */
export interface CallTranscript {
  /** null for a call whose events do not name it, and for the events of no call. */
  readonly callId: string | null
  /** Tells the calls without id of a recording apart, from 1; null for one with an id, and for the events of no call. */
  readonly conversation: number | null
  readonly direction: string | null
  readonly callType: string | null
  readonly userNumber: string | null
  readonly assistantNumber: string | null
  readonly teamId: string | null
  readonly assistantId: string | null
  readonly assistantName: string | null
  readonly customerName: string | null
  /** ISO 8601; what the service sent where that is no time. */
  readonly startAt: string | null
  readonly endAt: string | null
  readonly callEndTriggerBy: string | null
  /** Arrival of its first and last event, ISO 8601. */
  readonly firstAt: string
  readonly lastAt: string
  /** Whether an event said that it is over. */
  readonly ended: boolean
  /** In the order of arrival. */
  readonly statuses: readonly TranscriptStatus[]
  readonly messages: readonly TranscriptMessage[]
  /** interface.md 2.9, and whatever else the service put there. */
  readonly analysis: Readonly<Record<string, unknown>> | null
  /** Types of events that are no part of a conversation, with their number. */
  readonly otherEvents: Readonly<Record<string, number>>
  /** Items among the messages that are none. */
  readonly malformedItems: number
  /** The first hundred of both. */
  readonly unread: readonly UnreadPart[]
}
