import { type CallAssignment, createCallsWithoutId } from './calls-without-id.ts'
import { type CallKey, type CallOrigin, type Change, type EndedEvent, getCallKey } from './changes.ts'
import { applyEvent } from './conversation.ts'
import { type CacheBounds, createConversationCache, newConversation } from './conversation-cache.ts'
import type { ReadEvent } from './read/read-event.ts'

/** An event and what is new of it. */
export interface AppliedEvent {
  readonly event: ReadEvent
  readonly origin: CallOrigin
  readonly key: CallKey
  /** True for the first event of a call. */
  readonly isFirst: boolean
  readonly changes: readonly Change[]
  /** True for a status that arrived after a later one. */
  readonly late: boolean
  /** True if the call is over, with this event or before it. */
  readonly ended: boolean
  /** True if this event ended the call. */
  readonly endsCall: boolean
  /** True for the first event that may belong to another call: it has no call id, and several calls are live. */
  readonly doubt: boolean
}

export type ConversationTracker = ReturnType<typeof createConversationTracker>

/** Determines what is new in each event of many calls, and counts it. */
export function createConversationTracker(bounds?: CacheBounds) {
  const conversations = createConversationCache(bounds)
  const withoutId = createCallsWithoutId(bounds)
  let isDoubtTold = false
  const counts = {
    /** One that was forgotten and comes back counts again. */
    calls: 0,
    finished: 0,
    events: 0,
    messages: 0,
    edits: 0,
    /** Messages and statuses that were already known. */
    repeats: 0,
    /** Statuses that arrived after a later one. */
    late: 0,
  }
  const apply = (event: ReadEvent, { origin, isDoubtful }: CallAssignment) => {
    const doubt = isDoubtful && !isDoubtTold
    isDoubtTold ||= isDoubtful
    const key = getCallKey(origin)
    const storedConversation = conversations.get(key)
    const { conversation, changes, repeats, late } = applyEvent(
      storedConversation ?? newConversation,
      event,
      origin,
    )
    conversations.put(key, conversation)
    const appliedEvent: AppliedEvent = {
      ...{ event, origin, key, changes, doubt },
      isFirst: storedConversation === undefined,
      late: late > 0,
      ended: conversation.ended,
      endsCall: conversation.ended && storedConversation?.ended !== true,
    }
    return { repeats, late, appliedEvent }
  }
  return {
    /** Call of an event; call this once per event, in order. */
    assign: (event: ReadEvent) => withoutId.assign(event),
    /** `placed` is the result of `place` for this event, if already known. */
    apply(event: ReadEvent, assignment = withoutId.assign(event)) {
      const { repeats, late, appliedEvent } = apply(event, assignment)
      counts.events++
      counts.repeats += repeats
      counts.late += late
      if (appliedEvent.isFirst && appliedEvent.key !== 0) counts.calls++
      if (appliedEvent.endsCall) counts.finished++
      for (const { kind } of appliedEvent.changes) {
        if (kind === 'message') counts.messages++
        if (kind === 'edit') counts.edits++
      }
      return appliedEvent
    },
    /** Takes an event that was counted before, by another process. */
    remember: (event: ReadEvent) => apply(event, withoutId.assign(event)).appliedEvent,
    /** Forgets the call of an event, if it has an id. */
    forget({ callId }: ReadEvent) {
      if (callId !== null) conversations.forget(getCallKey({ callId }))
    },
    counts: () => ({ ...counts }),
  }
}

/** Returns the changes of an event in display order. */
export function countConversationEvents({
  changes,
  endsCall,
  doubt,
  origin,
  event,
}: AppliedEvent): readonly ConversationEvents[] {
  return [
    ...(doubt ? [{ kind: 'doubt' } as const] : []),
    ...changes,
    ...(endsCall ? [{ kind: 'ended', ...origin, type: event.type } as const] : []),
  ]
}

export type ConversationEvents =
  | Change
  | EndedEvent
  /** Several live calls have no id, and only their messages tell them apart. Reported once, before the first change. */
  | { readonly kind: 'doubt' }
