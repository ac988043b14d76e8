import type { CallKey } from './changes.ts'
import { compactConversation, forgetOldest } from './conversation.ts'
import type { Conversation } from './conversation-state.ts'

export interface SeenCallsBounds {
  /** Calls remembered; default: 10,000. */
  readonly maxCalls?: number
  /** Estimated bytes of all that is remembered; default: 64 MiB. */
  readonly maxBytes?: number
}

/** What is remembered of every call, bounded however long a tail runs. */
export interface SeenCalls {
  /** What is known of a call; undefined for one never seen or forgotten. */
  get(key: CallKey): Conversation | undefined
  /** Remembers the newest state of a call and forgets what no longer fits. */
  put(key: CallKey, conversation: Conversation): void
  readonly calls: number
  readonly bytes: number
}

/**
 * Least recently used goes first. A call that finishes shrinks to digests at once. Under pressure live calls shrink
 * too, which costs them no more than the text before an edit; only then are calls forgotten. The call in use is never
 * forgotten whole: that would print it again from its first message.
 */
export function createSeenCalls({
  maxCalls = 10_000,
  maxBytes = 64 * 1024 ** 2,
}: SeenCallsBounds = {}): SeenCalls {
  // Both keep insertion order: the first key is the least recently used.
  const calls = new Map<CallKey, Conversation>()
  const live = new Map<CallKey, Conversation>()
  let bytes = 0

  const remember = (key: CallKey, conversation: Conversation) => {
    bytes += conversation.bytes - (calls.get(key)?.bytes ?? 0)
    calls.set(key, conversation)
    if (conversation.compact) live.delete(key)
    else live.set(key, conversation)
  }
  const forget = (key: CallKey) => {
    bytes -= calls.get(key)?.bytes ?? 0
    calls.delete(key)
    live.delete(key)
  }

  return {
    get: key => calls.get(key),
    put(key, conversation) {
      forget(key)
      remember(key, conversation.ended ? compactConversation(conversation) : conversation)
      // The call in use is the last of both.
      for (const [oldest, whole] of live) {
        if (bytes <= maxBytes) break
        remember(oldest, compactConversation(whole))
      }
      for (const oldest of calls.keys()) {
        if (oldest === key || (calls.size <= maxCalls && bytes <= maxBytes)) break
        forget(oldest)
      }
      if (bytes > maxBytes) remember(key, forgetOldest(compactConversation(conversation), maxBytes))
    },
    get calls() {
      return calls.size
    },
    get bytes() {
      return bytes
    },
  }
}
