import { digest } from '../../lib/hash.ts'
import { isObject } from '../../lib/json.ts'
import type { CallKey, Change } from './changes.ts'
import { type Layers, mergeLayers } from './layers.ts'

/** Messages of live calls keep their text, for `before`; those of finished calls only a digest. */
export type KnownMessage = (
  | { readonly id: string; readonly text: string }
  | { readonly id: ''; readonly text?: undefined; readonly digest: string }
) & {
  /** Digests of the texts that this one replaced in snapshots of one size. */
  readonly replaced?: { readonly size: number; readonly digests: readonly string[] }
}

/** Remembered state of one call. */
export interface Conversation {
  /** Messages by messageId, or by its digest once compact. In order of first arrival. */
  readonly messages: Layers<KnownMessage>
  /** The same messages by their index in the last snapshot: comparing is much cheaper than looking up. */
  readonly lastMessages: readonly (KnownMessage | undefined)[]
  /** Content digests of items without a messageId. */
  readonly anonymous: Layers<true>
  /** The last snapshot, if all of its messages are still at their index with unchanged text. */
  readonly snapshot: object | undefined
  /** Number of messages in the largest snapshot. */
  readonly largestSnapshot: number
  /** Statuses, analyses and oddities already shown. */
  readonly shownKeys: ReadonlySet<string>
  /** The status that was shown last. */
  readonly status: string | undefined
  readonly progress: number
  readonly ended: boolean
  readonly compact: boolean
  /** Estimated memory. */
  readonly bytes: number
}

export interface ConversationStep {
  readonly conversation: Conversation
  readonly changes: readonly Change[]
  /** Messages and statuses that were already known. */
  readonly repeats: number
  /** Statuses that came after a later one: `ongoing` after `finished`. */
  readonly late: number
}

export const newConversation: Conversation = {
  messages: [],
  lastMessages: [],
  snapshot: undefined,
  anonymous: [],
  largestSnapshot: 0,
  shownKeys: new Set(),
  status: undefined,
  progress: -1,
  ended: false,
  compact: false,
  bytes: 256,
}

/** Estimated memory for one message or status. */
export const entryBytes = 120

/** True if an item of an update is a known, unchanged message. Checked before it is read, because most are. */
export function isSameMessage(
  item: unknown,
  { id, text }: { readonly id: string; readonly text?: string | undefined },
): item is Readonly<Record<string, unknown>> {
  return isObject(item) && item.messageId === id && item.text === text
}

/** Calls with few messages reach this limit before the byte limit. A live call that is forgotten is printed again. */
export const defaultMaxCalls = 100_000

export interface CacheBounds {
  /** Number of calls to remember; default: 100,000. */
  readonly maxCalls?: number
  /** Estimated bytes of all that is remembered; default: 64 MiB. */
  readonly maxBytes?: number
}

/**
 * Remembers calls within bounds, however long a tail runs. Evicts the least recently used first. Finished calls shrink to digests at
 * once. Under pressure live calls shrink too, which only loses the text before an edit; calls are dropped last. The current call is
 * never dropped, because that would print it again from its first message.
 */
export function createConversationCache({
  maxCalls = defaultMaxCalls,
  maxBytes = 64 * 1024 ** 2,
}: CacheBounds = {}) {
  // Both keep insertion order: the first key is the least recently used.
  const calls = new Map<CallKey, Conversation>()
  const live = new Map<CallKey, Conversation>()
  /** Nothing is forgotten otherwise, so that no order matters. */
  const isBounded = Number.isFinite(maxCalls) || Number.isFinite(maxBytes)
  let bytes = 0
  let newest: CallKey | undefined

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
    /** Returns the state of a call; undefined if it was never seen or was dropped. */
    get: (key: CallKey) => calls.get(key),
    /** Remembers the newest state of a call and forgets what no longer fits. */
    put(key: CallKey, conversation: Conversation) {
      // The last one keeps its place.
      if (isBounded && key !== newest) forget(key)
      newest = key
      remember(key, conversation.ended ? compactConversation(conversation) : conversation)
      if (calls.size <= maxCalls && bytes <= maxBytes) return
      // Only now: a walk begins with the places of all that was put again, and costs as many steps as there are calls.
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
    forget,
    get calls() {
      return calls.size
    },
    get bytes() {
      return bytes
    },
  }
}

/** The same call without its texts: ids and texts become digests, so that late repeats are still recognized. */
export function compactConversation(conversation: Conversation): Conversation {
  if (conversation.compact) return conversation
  const messages = new Map<string, KnownMessage>()
  let bytes =
    newConversation.bytes +
    (mergeLayers(conversation.anonymous).size + conversation.shownKeys.size) * entryBytes
  for (const [id, message] of mergeLayers(conversation.messages)) {
    const { replaced } = message
    const stub: KnownMessage = { id: '', digest: digestMessage(message), ...(replaced && { replaced }) }
    messages.set(digest(id), stub)
    bytes += weight(stub)
  }
  return { ...conversation, ...noSnapshot, messages: [messages], bytes, compact: true }
}

/** The last resort against a call too large to remember: its first messages are forgotten. */
export function forgetOldest(conversation: Conversation, maxBytes: number): Conversation {
  const maxEntries = Math.floor(Math.max(0, maxBytes - newConversation.bytes) / (2 * entryBytes))
  const allMessages = [...mergeLayers(conversation.messages)]
  const messages = new Map(allMessages.slice(-maxEntries || allMessages.length))
  const items = [...mergeLayers(conversation.anonymous)]
  const anonymous = new Map(items.slice(-maxEntries || items.length))
  const bytes = newConversation.bytes + (messages.size + anonymous.size) * entryBytes
  return {
    ...{ ...conversation, ...noSnapshot, bytes },
    ...{ messages: [messages], anonymous: [anonymous], shownKeys: new Set<string>() },
  }
}

const noSnapshot = { lastMessages: [], snapshot: undefined }

export function digestMessage(message: KnownMessage): string {
  return message.text === undefined ? message.digest : digest(message.text)
}

/** Estimated memory of one message and its two places. */
export function weight({ id, text = '', replaced }: KnownMessage): number {
  return entryBytes + 2 * (id.length + text.length) + digestBytes * (replaced?.digests.length ?? 0)
}

const digestBytes = 40
