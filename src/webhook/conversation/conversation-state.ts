import { isObject } from '../../lib/json/is-object.ts'
import type { Change } from './changes.ts'

/** A message of a call that goes on keeps its text, for `before`; one of a finished call keeps the digest alone. */
export type KnownMessage = (
  | { readonly id: string; readonly text: string }
  | { readonly id: ''; readonly text?: undefined; readonly digest: string }
) & {
  /** Digests of the texts that this one replaced in snapshots of one size. */
  readonly replaced?: { readonly size: number; readonly digests: readonly string[] }
}

/** What is remembered of one call. */
export interface Conversation {
  /** By messageId; by its digest once compact. In order of first arrival. */
  readonly messages: ReadonlyMap<string, KnownMessage>
  /** The same messages by their place in the last snapshot: comparing is much cheaper than looking up. */
  readonly places: readonly (KnownMessage | undefined)[]
  /** Content digests of items without a messageId. */
  readonly anonymous: ReadonlySet<string>
  /** How many messages the largest snapshot carried. */
  readonly largestSnapshot: number
  /** Statuses, analyses and oddities already shown. */
  readonly shown: ReadonlySet<string>
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
  messages: new Map(),
  places: [],
  anonymous: new Set(),
  largestSnapshot: 0,
  shown: new Set(),
  status: undefined,
  progress: -1,
  ended: false,
  compact: false,
  bytes: 256,
}

/** Estimated memory of what is kept for one message or status. */
export const entryBytes = 120

/** Whether an item of an update is a known message that did not change: compared before it is read, for most are. */
export function isSameMessage(
  item: unknown,
  { id, text }: { readonly id: string; readonly text?: string | undefined },
): item is Readonly<Record<string, unknown>> {
  return isObject(item) && item.messageId === id && item.text === text
}
