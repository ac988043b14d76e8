import { digest } from '../../lib/hash.ts'
import { printable } from '../../lib/json.ts'
import type { CallOrigin, Change, EventChange } from './changes.ts'
import {
  type Conversation,
  type ConversationStep,
  digestMessage,
  entryBytes,
  isSameMessage,
  type KnownMessage,
  weight,
} from './conversation-cache.ts'
import { addLayer, getNewest } from './layers.ts'
import { hasPayload } from './read/event-kinds.ts'
import { type ReadEvent, type ReadMessage, readMessage } from './read/read-event.ts'
import { addStatus } from './status-change.ts'

/** More versions of a message at one snapshot size than any transcription produces. */
const maxReplaced = 200

/**
 * Applies an event (interface.md 6) to the state of its call; pure.
 *
 * A message is shown when its id first arrives. An edit is a known id with another text, from a snapshot at least as large as every
 * earlier one: snapshots only grow, so a smaller one is older and changes nothing. Among snapshots of one size, the order of arrival
 * decides, and a text that was replaced at that size is not shown again. Repeated and shuffled events therefore cannot alternate between
 * texts, and the text of the largest snapshot is kept.
 * An item without an id is identified by its content and the number of its occurrences in the snapshot.
 * A status is shown once; one that arrives after a later status is counted as late and not shown.
 */
export function applyEvent(
  before: Conversation,
  event: ReadEvent,
  origin: CallOrigin = { callId: event.callId },
): ConversationStep {
  const { type, messages, analysis, ended } = event
  const messageStep =
    messages === undefined ? undefined : addSnapshot(before, event, originOf(event, origin), messages)
  const isUpdate = hasPayload(type, 'status')
  const hasStatus = (isUpdate && event.status !== undefined) || ended || analysis !== undefined
  const status = hasStatus ? addStatus(messageStep?.conversation ?? before, event, origin) : undefined
  const step = addStep(messageStep, status)
  return addStep(step, addRest(step?.conversation ?? before, event, origin, step !== undefined))
}

/** Returns both steps as one. Most events bring one, which is not copied. */
function addStep(before: ConversationStep | undefined, after: ConversationStep): ConversationStep
function addStep(
  before: ConversationStep | undefined,
  after: ConversationStep | undefined,
): ConversationStep | undefined
function addStep(
  before: ConversationStep | undefined,
  after: ConversationStep | undefined,
): ConversationStep | undefined {
  if (before === undefined || after === undefined) return before ?? after
  const { conversation, changes, repeats, late } = after
  return {
    conversation,
    changes: changes.length === 0 ? before.changes : [...before.changes, ...changes],
    repeats: before.repeats + repeats,
    late: before.late + late,
  }
}

/** Reports parts of the event that were not understood, each once; the whole event if nothing was. */
function addRest(
  before: Conversation,
  event: ReadEvent,
  origin: CallOrigin,
  isRead: boolean,
): ConversationStep {
  const { type, odd, body } = event
  const keys = odd.map(words => `odd ${words}`)
  if (isRead && keys.every(key => before.shownKeys.has(key))) {
    return { conversation: before, changes: [], repeats: 0, late: 0 }
  }
  const shownKeys = keys.length === 0 ? before.shownKeys : new Set([...before.shownKeys, ...keys])
  const bytes = before.bytes + (shownKeys.size - before.shownKeys.size) * entryBytes
  const change: EventChange = {
    kind: 'event',
    type,
    ...origin,
    ...(odd.length === 0 ? {} : { odd }),
    event: printable(body),
  }
  return { conversation: { ...before, shownKeys, bytes }, changes: [change], repeats: 0, late: 0 }
}

/** Returns the event properties that each message of a snapshot carries. */
function originOf({ type }: ReadEvent, origin: CallOrigin) {
  return hasPayload(type, 'messages') ? origin : { ...origin, type }
}

function addSnapshot(
  before: Conversation,
  { growth }: ReadEvent,
  origin: CallOrigin,
  items: readonly unknown[],
): ConversationStep {
  const size = items.length
  const newest = size >= before.largestSnapshot
  const changes: Change[] = []
  const recent = new Map<string, KnownMessage>()
  // Copied at the first change only: a snapshot that brings nothing new costs one comparison for each message.
  let lastMessages: (KnownMessage | undefined)[] | undefined
  const anonymous = new Map<string, true>()
  let occurrences: Map<string, number> | undefined
  let { bytes } = before
  const isNext = growth?.before !== undefined && growth.before === before.snapshot
  const unchanged = isNext ? growth.unchanged : 0
  let repeats = unchanged
  let isInPlace = true

  const addMessage = (index: number, messageId: string, { role, text, timestamp }: ReadMessage) => {
    const key = before.compact ? digest(messageId) : messageId
    const knownMessage = recent.get(key) ?? getNewest(before.messages, key)
    const next =
      knownMessage === undefined
        ? newMessage(messageId, text, before.compact)
        : newest
          ? edit(knownMessage, text, size)
          : knownMessage
    if (knownMessage !== undefined) isInPlace = false
    if (!before.compact) {
      lastMessages ??= [...before.lastMessages]
      lastMessages[index] = next
    }
    if (next === knownMessage) {
      repeats++
      return
    }
    recent.set(key, next)
    bytes += weight(next) - (knownMessage === undefined ? 0 : weight(knownMessage))
    const messageFields = { ...origin, messageId, role, text, timestamp }
    changes.push(
      knownMessage === undefined
        ? { kind: 'message', ...messageFields }
        : { kind: 'edit', ...messageFields, before: knownMessage.text },
    )
  }
  const addAnonymous = (index: number, item: unknown, message: ReadMessage | undefined) => {
    isInPlace = false
    const content = digest(JSON.stringify(printable(item)))
    occurrences ??= new Map()
    const occurrence = (occurrences.get(content) ?? 0) + 1
    occurrences.set(content, occurrence)
    const key = `${content}${occurrence}`
    if (getNewest(before.anonymous, key) === true) {
      repeats++
      return
    }
    anonymous.set(key, true)
    bytes += entryBytes
    changes.push(
      message === undefined
        ? { kind: 'malformed', ...origin, path: `messages[${index}]`, item: printable(item) }
        : { kind: 'message', ...origin, ...message, messageId: null },
    )
  }

  for (let index = unchanged; index < size; index++) {
    const item = items[index]
    const expected = before.lastMessages[index]
    if (expected !== undefined && isSameMessage(item, expected)) {
      repeats++
      continue
    }
    const message = readMessage(item)
    if (message?.messageId) addMessage(index, message.messageId, message)
    else addAnonymous(index, item, message)
  }

  if (changes.length === 0 && size <= before.largestSnapshot) {
    return { conversation: before, changes, repeats, late: 0 }
  }
  const conversation = {
    ...before,
    messages: addLayer(before.messages, recent),
    lastMessages: lastMessages ?? before.lastMessages,
    snapshot: isInPlace ? growth?.token : undefined,
    anonymous: addLayer(before.anonymous, anonymous),
    largestSnapshot: Math.max(before.largestSnapshot, size),
    bytes,
  }
  return { conversation, changes, repeats, late: 0 }
}

function newMessage(id: string, text: string, compact: boolean): KnownMessage {
  return compact ? { id: '', digest: digest(text) } : { id, text }
}

/** The message with its new text; the same one where the text is not new. */
function edit(knownMessage: KnownMessage, text: string, size: number): KnownMessage {
  if (knownMessage.text === undefined ? knownMessage.digest === digest(text) : knownMessage.text === text)
    return knownMessage
  const now = digest(text)
  const digests = knownMessage.replaced?.size === size ? knownMessage.replaced.digests : []
  if (digests.includes(now)) return knownMessage
  const replaced = { size, digests: [...digests.slice(1 - maxReplaced), digestMessage(knownMessage)] }
  return knownMessage.text === undefined
    ? { id: '', digest: now, replaced }
    : { id: knownMessage.id, text, replaced }
}
