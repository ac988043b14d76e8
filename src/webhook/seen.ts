import { compactConversation, forgetOldest } from './conversation.ts'
import type { Conversation } from './conversation-state.ts'

export interface SeenBounds {
  /** Calls remembered; 10,000 unless told. */
  readonly maxCalls?: number
  /** Estimated bytes of all that is remembered; 64 MiB unless told. */
  readonly maxBytes?: number
}

/** What is remembered of every call, bounded however long a tail runs. */
export interface Seen {
  /** What is known of a call; undefined for one never seen or forgotten. */
  get(callId: string | null): Conversation | undefined
  /** Remembers the newest state of a call and forgets what no longer fits. */
  put(callId: string | null, conversation: Conversation): void
  readonly calls: number
  readonly bytes: number
}

/**
 * Least recently used goes first. A call that finishes shrinks to digests at once. Under pressure live calls shrink
 * too, which costs them no more than the text before an edit; only then are calls forgotten. The call in use is never
 * forgotten whole: that would print it again from its first message.
 */
export function createSeen({ maxCalls = 10_000, maxBytes = 64 * 1024 ** 2 }: SeenBounds = {}): Seen {
  // Both keep insertion order: the first key is the least recently used.
  const calls = new Map<string | null, Conversation>()
  const live = new Set<string | null>()
  let bytes = 0
  let latest: string | null | undefined

  const remember = (callId: string | null, conversation: Conversation) => {
    bytes += conversation.bytes - (calls.get(callId)?.bytes ?? 0)
    calls.set(callId, conversation)
    if (conversation.compact) live.delete(callId)
    else live.add(callId)
  }
  const forget = (callId: string | null) => {
    bytes -= calls.get(callId)?.bytes ?? 0
    calls.delete(callId)
    live.delete(callId)
  }
  const shrink = (callId: string | null) => {
    const conversation = calls.get(callId)
    if (conversation !== undefined) remember(callId, compactConversation(conversation))
  }

  return {
    get: callId => calls.get(callId),
    put(callId, conversation) {
      if (callId === latest && conversation === calls.get(callId)) return
      latest = callId
      forget(callId)
      remember(callId, conversation.finished ? compactConversation(conversation) : conversation)
      // The call in use is the last of both.
      for (const oldest of live) {
        if (bytes <= maxBytes) break
        shrink(oldest)
      }
      for (const oldest of calls.keys()) {
        if (oldest === callId || (calls.size <= maxCalls && bytes <= maxBytes)) break
        forget(oldest)
      }
      const current = calls.get(callId)
      if (bytes > maxBytes && current !== undefined) remember(callId, forgetOldest(current, maxBytes))
    },
    get calls() {
      return calls.size
    },
    get bytes() {
      return bytes
    },
  }
}
