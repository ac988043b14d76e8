import type { WebhookEvent } from '../interface/webhook.ts'
import type { Change } from './changes.ts'
import { advance } from './conversation.ts'
import { callIdOf, newConversation } from './conversation-state.ts'
import { createSeen, type SeenBounds } from './seen.ts'

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

/** Events of many calls, one after the other: what is new of each, and how much that came to. */
export interface Tally {
  take(event: WebhookEvent): readonly Change[]
  /** As they stand now. */
  counts(): Counts
}

export function createTally(bounds?: SeenBounds): Tally {
  const seen = createSeen(bounds)
  const counts = { calls: 0, finished: 0, events: 0, messages: 0, edits: 0, repeats: 0, late: 0 }
  return {
    take(event) {
      const callId = callIdOf(event)
      const known = seen.get(callId)
      const { conversation, changes, repeats, late } = advance(known ?? newConversation, event)
      seen.put(callId, conversation)
      counts.events++
      counts.repeats += repeats
      counts.late += late
      if (known === undefined && callId !== null) counts.calls++
      if (conversation.finished && known?.finished !== true) counts.finished++
      for (const { kind } of changes) {
        if (kind === 'message') counts.messages++
        if (kind === 'edit') counts.edits++
      }
      return changes
    },
    counts: () => ({ ...counts }),
  }
}
