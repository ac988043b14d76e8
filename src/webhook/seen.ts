import { type Conversation, compactConversation, forgetOldest, newConversation } from './conversation.ts'

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
 * Least recently used goes first. A call that finishes shrinks to digests at once; under pressure the least recently
 * used calls shrink too, and the next time round are forgotten. A call in use is never forgotten whole: that would
 * print it again from its first message.
 */
export function createSeen({ maxCalls = 10_000, maxBytes = 64 * 1024 ** 2 }: SeenBounds = {}): Seen {
  // A Map keeps insertion order: the first key is the least recently used call.
  const calls = new Map<string | null, Conversation>()
  let bytes = 0

  const replace = (callId: string | null, conversation: Conversation) => {
    bytes += conversation.bytes - (calls.get(callId)?.bytes ?? 0)
    calls.set(callId, conversation)
  }
  const forget = (callId: string | null) => {
    bytes -= calls.get(callId)?.bytes ?? 0
    calls.delete(callId)
  }
  const relieve = (current: string | null) => {
    // Twice: the first round may end with every call shrunk and still too much.
    for (const round of [calls.entries(), calls.entries()]) {
      for (const [callId, conversation] of round) {
        const tooMany = calls.size > maxCalls
        if (!tooMany && bytes <= maxBytes) return
        if (callId === current) continue
        if (tooMany || conversation.compact) forget(callId)
        else replace(callId, compactConversation(conversation))
      }
    }
    if (bytes <= maxBytes) return
    const conversation = compactConversation(calls.get(current) ?? newConversation)
    replace(current, conversation)
    if (conversation.bytes > maxBytes) replace(current, forgetOldest(conversation, maxBytes))
  }

  return {
    get: callId => calls.get(callId),
    put(callId, conversation) {
      forget(callId)
      replace(callId, conversation.finished ? compactConversation(conversation) : conversation)
      if (calls.size > maxCalls || bytes > maxBytes) relieve(callId)
    },
    get calls() {
      return calls.size
    },
    get bytes() {
      return bytes
    },
  }
}
