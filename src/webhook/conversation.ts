import type { WebhookEvent } from '../interface/webhook.ts'
import type { Change, EventChange } from './changes.ts'
import {
  type Conversation,
  callIdOf,
  entryBytes,
  type KnownMessage,
  newConversation,
  type Step,
} from './conversation-state.ts'
import { printable } from './depth.ts'
import { digest } from './digest.ts'
import { addStatus } from './status-change.ts'

const digestBytes = 40
/** More versions of one message at one snapshot size than a transcription ever goes through. */
const mostReplaced = 200

/**
 * One event of interface.md section 6 applied to what is known of its call; pure.
 *
 * A message is shown when its id first arrives. An edit is a known id with another text, from a snapshot at least as
 * large as every earlier one: snapshots only grow, so a smaller one is older and changes nothing. Between snapshots of
 * one size the order of arrival decides, and a text that was already replaced at that size is not shown again; so
 * repeats and shuffles cannot flip a text for ever, and the text of the largest snapshot wins.
 * An item without id is known by its content and by how often that content occurs in its snapshot.
 * A status is shown once; one that comes after a later status is counted as late and not shown.
 */
export function advance(conversation: Conversation, event: WebhookEvent): Step {
  const { type, messages, call } = event.message
  if (type === 'conversation-update' && messages) return addSnapshot(conversation, callIdOf(event), messages)
  if (type === 'status-update' && call?.status) return addStatus(conversation, event, call.status)
  const change: EventChange = { kind: 'event', type, callId: callIdOf(event), event: printable(event) }
  return { conversation, changes: [change], repeats: 0, late: 0 }
}

/** The same call without its texts: ids and texts become digests, so that late repeats are still recognised. */
export function compactConversation(conversation: Conversation): Conversation {
  if (conversation.compact) return conversation
  const messages = new Map<string, KnownMessage>()
  let bytes = newConversation.bytes + (conversation.anonymous.size + conversation.shown.size) * entryBytes
  for (const [id, { text = '', replaced }] of conversation.messages) {
    const shrunk = { id: '', digest: digest(text), ...(replaced === undefined ? {} : { replaced }) }
    messages.set(digest(id), shrunk)
    bytes += weight(shrunk)
  }
  return { ...conversation, messages, places: [], bytes, compact: true }
}

/** The last resort against a call too large to remember: its first messages are forgotten. */
export function forgetOldest(conversation: Conversation, maxBytes: number): Conversation {
  const kept = Math.floor(Math.max(0, maxBytes - newConversation.bytes) / (2 * entryBytes))
  const messages = new Map([...conversation.messages].slice(-kept || conversation.messages.size))
  const anonymous = new Set([...conversation.anonymous].slice(-kept || conversation.anonymous.size))
  const bytes = newConversation.bytes + (messages.size + anonymous.size) * entryBytes
  return { ...conversation, messages, places: [], anonymous, shown: new Set(), bytes }
}

function addSnapshot(before: Conversation, callId: string | null, items: readonly unknown[]): Step {
  const size = items.length
  const newest = size >= before.largest
  const changes: Change[] = []
  // Copied at the first change only: a snapshot that brings nothing new costs one comparison for each message.
  let messages: Map<string, KnownMessage> | undefined
  let places: (KnownMessage | undefined)[] | undefined
  let anonymous: Set<string> | undefined
  let occurrences: Map<string, number> | undefined
  let { bytes } = before
  let repeats = 0

  const addMessage = (index: number, { messageId, role, text, timestamp }: IdentifiedMessage) => {
    const key = before.compact ? digest(messageId) : messageId
    const known = (messages ?? before.messages).get(key)
    const next =
      known === undefined
        ? newMessage(messageId, text, before.compact)
        : newest
          ? edit(known, text, size)
          : known
    if (!before.compact) {
      places ??= [...before.places]
      places[index] = next
    }
    if (next === known) {
      repeats++
      return
    }
    messages ??= new Map(before.messages)
    messages.set(key, next)
    bytes += weight(next) - (known === undefined ? 0 : weight(known))
    const said = { callId, messageId, role, text, timestamp }
    changes.push(
      known === undefined ? { kind: 'message', ...said } : { kind: 'edit', ...said, before: known.text },
    )
  }
  const addAnonymous = (item: unknown, message: ReadMessage | undefined) => {
    const content = digest(JSON.stringify(printable(item)) ?? '')
    occurrences ??= new Map()
    const occurrence = (occurrences.get(content) ?? 0) + 1
    occurrences.set(content, occurrence)
    const key = `${content}${occurrence}`
    if ((anonymous ?? before.anonymous).has(key)) {
      repeats++
      return
    }
    anonymous ??= new Set(before.anonymous)
    anonymous.add(key)
    bytes += entryBytes
    changes.push(
      message === undefined
        ? { kind: 'malformed', callId, item: printable(item) }
        : { kind: 'message', callId, ...message, messageId: null },
    )
  }

  for (let index = 0; index < size; index++) {
    const item = items[index]
    const expected = before.places[index]
    if (expected !== undefined && isSame(item, expected)) {
      repeats++
      continue
    }
    const message = readMessage(item)
    if (message?.messageId) addMessage(index, { ...message, messageId: message.messageId })
    else addAnonymous(item, message)
  }

  if (places === undefined && changes.length === 0 && size <= before.largest) {
    return { conversation: before, changes, repeats, late: 0 }
  }
  const conversation = {
    ...before,
    messages: messages ?? before.messages,
    places: places ?? before.places,
    anonymous: anonymous ?? before.anonymous,
    largest: Math.max(before.largest, size),
    bytes,
  }
  return { conversation, changes, repeats, late: 0 }
}

function isSame(item: unknown, { id, text }: KnownMessage): boolean {
  return (
    typeof item === 'object' &&
    item !== null &&
    'messageId' in item &&
    item.messageId === id &&
    'text' in item &&
    item.text === text
  )
}

interface IdentifiedMessage extends ReadMessage {
  readonly messageId: string
}

interface ReadMessage {
  readonly messageId: string | undefined
  readonly role: string
  readonly text: string
  readonly timestamp: string | undefined
}

/** An item that has a text can be shown as a message, whatever else is missing. */
function readMessage(item: unknown): ReadMessage | undefined {
  if (typeof item !== 'object' || item === null || !('text' in item) || typeof item.text !== 'string')
    return undefined
  return {
    messageId: 'messageId' in item && typeof item.messageId === 'string' ? item.messageId : undefined,
    role: 'role' in item && typeof item.role === 'string' ? item.role : 'unknown',
    text: item.text,
    timestamp: 'timestamp' in item && typeof item.timestamp === 'string' ? item.timestamp : undefined,
  }
}

function newMessage(id: string, text: string, compact: boolean): KnownMessage {
  return compact ? { id: '', digest: digest(text) } : { id, text }
}

/** The message with its new text; the same one where the text is not new. */
function edit(known: KnownMessage, text: string, size: number): KnownMessage {
  if (known.text === text) return known
  const now = digest(text)
  const last = known.digest ?? digest(known.text ?? '')
  const digests = known.replaced?.size === size ? known.replaced.digests : []
  if (now === last || digests.includes(now)) return known
  const replaced = { size, digests: [...digests.slice(1 - mostReplaced), last] }
  return known.text === undefined ? { id: '', digest: now, replaced } : { id: known.id, text, replaced }
}

/** Estimated memory of one message and its two places. */
function weight({ id, text = '', replaced }: KnownMessage): number {
  return entryBytes + 2 * (id.length + text.length) + digestBytes * (replaced?.digests.length ?? 0)
}
