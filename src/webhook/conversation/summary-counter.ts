import type { ReadEvent } from '../receive/read-event.ts'
import { createCallsWithoutId } from './calls-without-id.ts'
import {
  type CallKey,
  type CallOrigin,
  type Change,
  callKeyOf,
  type DoubtEvent,
  type EndedEvent,
} from './changes.ts'
import { applyEvent } from './conversation.ts'
import { createSeenCalls, newConversation, type SeenCallsBounds } from './seen-calls.ts'

export interface Counts {
  /** Calls seen; one that was forgotten and comes back counts again. */
  readonly calls: number
  readonly finished: number
  readonly events: number
  readonly messages: number
  readonly edits: number
  /** Messages and statuses that were already known. */
  readonly repeats: number
  /** Statuses that arrived after a later one. */
  readonly late: number
}

/** An event and what is new of it. */
export interface TakenEvent {
  readonly event: ReadEvent
  /** The call that it belongs to. */
  readonly origin: CallOrigin
  readonly key: CallKey
  readonly changes: readonly Change[]
  /** Whether it is a status that came after a later one. */
  readonly late: boolean
  /** Whether its call is over, with it or before it. */
  readonly ended: boolean
  /** Whether its call ended with it. */
  readonly endsCall: boolean
  /** Whether it is the first that may belong to another call: it names none, and several go on. */
  readonly doubt: boolean
}

/** Events of many calls, one after the other: what is new of each, and how much that came to. */
export interface SummaryCounter {
  take(event: ReadEvent): TakenEvent
  /** As they stand now. */
  counts(): Counts
}

export function createSummaryCounter(bounds?: SeenCallsBounds): SummaryCounter {
  const seen = createSeenCalls(bounds)
  const withoutId = createCallsWithoutId(bounds)
  let isDoubtTold = false
  const counts = { calls: 0, finished: 0, events: 0, messages: 0, edits: 0, repeats: 0, late: 0 }
  return {
    take(event) {
      const { origin, isDoubtful } = withoutId.place(event)
      const doubt = isDoubtful && !isDoubtTold
      isDoubtTold ||= isDoubtful
      const key = callKeyOf(origin)
      const known = seen.get(key)
      const { conversation, changes, repeats, late } = applyEvent(known ?? newConversation, event, origin)
      const endsCall = conversation.ended && known?.ended !== true
      seen.put(key, conversation)
      counts.events++
      counts.repeats += repeats
      counts.late += late
      if (known === undefined && key !== 0) counts.calls++
      if (endsCall) counts.finished++
      for (const { kind } of changes) {
        if (kind === 'message') counts.messages++
        if (kind === 'edit') counts.edits++
      }
      return { event, origin, key, changes, late: late > 0, ended: conversation.ended, endsCall, doubt }
    },
    counts: () => ({ ...counts }),
  }
}

/** What an event brought, in the order in which it is shown. */
export function conversationEventsOf({
  changes,
  endsCall,
  doubt,
  origin,
  event,
}: TakenEvent): readonly ConversationEvents[] {
  return [
    ...(doubt ? [{ kind: 'doubt' } as const] : []),
    ...changes,
    ...(endsCall ? [{ kind: 'ended', ...origin, type: event.type } as const] : []),
  ]
}

export type ConversationEvents = Change | EndedEvent | DoubtEvent
