import { hash } from 'node:crypto'
import type { WebhookEvent } from '../interface/webhook.ts'
import { webhookStatuses } from '../interface/words.ts'
import { isShallow } from './depth.ts'

/** A message seen for the first time. `messageId` is null where the service sent none. */
export interface MessageChange {
  readonly kind: 'message'
  readonly callId: string | null
  readonly messageId: string | null
  readonly role: string
  readonly text: string
  readonly timestamp: string | undefined
}

/** A known message whose text changed. `before` is undefined when the old text is no longer kept. */
export interface EditChange {
  readonly kind: 'edit'
  readonly callId: string | null
  readonly messageId: string
  readonly role: string
  readonly text: string
  readonly timestamp: string | undefined
  readonly before: string | undefined
}

/** A status not yet shown for this call, or an analysis that came with a status already shown. */
export interface StatusChange {
  readonly kind: 'status'
  readonly callId: string | null
  readonly status: string
  readonly [fact: string]: unknown
  readonly analysis?: Readonly<Record<string, unknown>>
}

/** What we have no reading for: another type, or one of the two types without what it should carry. */
export interface EventChange {
  readonly kind: 'event'
  readonly type: string
  readonly callId: string | null
  readonly event: unknown
}

/** An item of `messages` that is not a message. */
export interface MalformedChange {
  readonly kind: 'malformed'
  readonly callId: string | null
  readonly item: unknown
}

export type Change = MessageChange | EditChange | StatusChange | EventChange | MalformedChange

interface KnownMessage {
  readonly id: string
  /** Kept while the call lives, for `before`; a finished call keeps the digest alone. */
  readonly text?: string
  readonly digest?: string
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
  readonly largest: number
  /** Statuses and analyses already shown. */
  readonly shown: ReadonlySet<string>
  readonly progress: number
  readonly finished: boolean
  readonly compact: boolean
  /** Estimated memory. */
  readonly bytes: number
}

export interface Step {
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
  largest: 0,
  shown: new Set(),
  progress: -1,
  finished: false,
  compact: false,
  bytes: 256,
}

const statusOrder: readonly string[] = webhookStatuses
const statusFacts = [
  'phoneCallStatus',
  'callType',
  'direction',
  'userNumber',
  'assistantNumber',
  'startAt',
  'endAt',
  'callEndTriggerBy',
] as const
const entryBytes = 120
const digestBytes = 40
/** More versions of one message at one snapshot size than a transcription ever goes through. */
const mostReplaced = 200

/**
 * The call an event belongs to; null when it names none. Events without a call share one conversation: guessing by
 * what else is live would print a message twice when the guess changes.
 */
export function callIdOf({ message }: WebhookEvent): string | null {
  return message.call?.id || null
}

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

function addStatus(before: Conversation, event: WebhookEvent, status: string): Step {
  const call: Readonly<Record<string, unknown>> = event.message.call ?? {}
  const position = statusOrder.indexOf(status)
  if (position !== -1 && position < before.progress) {
    return { conversation: before, changes: [], repeats: 0, late: 1 }
  }
  const analysis = analysisOf(event)
  const analysisKey = analysis === undefined ? undefined : `analysis ${digest(JSON.stringify(analysis))}`
  // A phone status of its own (`ringing`) is news under the same call status.
  const statusKey = `status ${digest(JSON.stringify([status, call.phoneCallStatus ?? null].map(printable)))}`
  const newAnalysis = analysisKey !== undefined && !before.shown.has(analysisKey)
  if (before.shown.has(statusKey) && !newAnalysis) {
    return { conversation: before, changes: [], repeats: 1, late: 0 }
  }
  const shown = new Set(before.shown).add(statusKey)
  if (analysisKey !== undefined) shown.add(analysisKey)
  const conversation = {
    ...before,
    shown,
    progress: Math.max(before.progress, position),
    finished: before.finished || status === 'finished',
    bytes: before.bytes + (shown.size - before.shown.size) * entryBytes,
  }
  const facts = Object.fromEntries(
    statusFacts.flatMap(name => (typeof call[name] === 'string' ? [[name, call[name]]] : [])),
  )
  const change: StatusChange = {
    kind: 'status',
    callId: callIdOf(event),
    status,
    ...facts,
    ...(newAnalysis && analysis !== undefined ? { analysis } : {}),
  }
  return { conversation, changes: [change], repeats: 0, late: 0 }
}

/** interface.md 6 puts the analysis beside the call, 2.9 inside it. An empty one says nothing yet. */
function analysisOf({ message }: WebhookEvent): Readonly<Record<string, unknown>> | undefined {
  for (const candidate of [message.analysis, message.call?.analysis]) {
    if (!isObject(candidate)) continue
    const entries = Object.entries(candidate).filter(([, value]) => value !== undefined && value !== null)
    if (entries.length > 0) return Object.fromEntries(entries.map(([key, value]) => [key, printable(value)]))
  }
  return undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON.parse takes nesting of any depth, JSON.stringify does not: a hostile body must not end the tail. */
function printable(value: unknown): unknown {
  return isShallow(value) ? value : '(nested too deeply to show)'
}

/** Twelve characters, 72 bits: short, and no two of a million are the same. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 12)
}
