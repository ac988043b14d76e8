/** A message with its last text. */
export interface TranscriptMessage {
  readonly messageId: string | null
  readonly role: string
  readonly text: string
  /** As the service sent it: a date-time, if all is well. */
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

/** One recorded call, each message once. What no event told is null. */
export interface CallTranscript {
  /** null for the events that name no call. */
  readonly callId: string | null
  readonly direction: string | null
  readonly callType: string | null
  readonly userNumber: string | null
  readonly assistantNumber: string | null
  readonly teamId: string | null
  readonly assistantId: string | null
  readonly assistantName: string | null
  readonly customerName: string | null
  readonly startAt: string | null
  readonly endAt: string | null
  readonly callEndTriggerBy: string | null
  /** Arrival of its first and last event, ISO 8601. */
  readonly firstAt: string
  readonly lastAt: string
  /** In the order of arrival. */
  readonly statuses: readonly TranscriptStatus[]
  readonly messages: readonly TranscriptMessage[]
  /** interface.md 2.9, and whatever else the service put there. */
  readonly analysis: Readonly<Record<string, unknown>> | null
  /** Types of events that are no part of a conversation, with their number. */
  readonly otherEvents: Readonly<Record<string, number>>
  /** Items among the messages that are none. */
  readonly malformedItems: number
}
