import { isSameMessage } from './conversation-cache.ts'
import { isContinued, isEdit } from './is-edit.ts'
import { type ReadMessage, readMessage } from './read/read-event.ts'

export type AnonymousCall = ReturnType<typeof newAnonymousCall>

export interface AnonymousMessage extends Omit<ReadMessage, 'messageId'> {
  readonly id: string
  /** Texts that it had before. */
  readonly past: readonly string[]
}

/** Creates the remembered state of a call without id, to match updates to it. */
export function newAnonymousCall(number: number) {
  /** The items of the last update that belonged to it: comparing with them is cheap. */
  const lastMessages: (AnonymousMessage | undefined)[] = []
  return {
    number,
    /** Messages by messageId, or by index for messages without one. */
    messages: new Map<string, AnonymousMessage>(),
    lastMessages,
    /** Messages of the largest update. */
    largest: 0,
    /** Progress of its status: -1 unknown, 0 queued, 1 ongoing. */
    progress: -1,
    ended: false,
    /** Estimated memory. */
    bytes: 500,
    /** Facts besides messages that tell calls apart, such as the start. */
    facts: new Map<string, string>(),
  }
}

/** Match of an update to a call; undefined if it contradicts the call or has nothing in common. */
export interface Fit {
  /** Messages that say the same at the same time; at any time. */
  readonly sameTime: number
  readonly same: number
  /** Every message says the same at another time: the service writes the time of sending. */
  readonly isRestamped: boolean
  /** True if no other call is possible: the ids match, or all times are equal. */
  readonly isCertain: boolean
}

/**
 * Matches `items` to the messages of a call. An update contains all messages so far (interface.md 6), so one list must contain the
 * other, with equal or edited texts. Fewer messages after the end, or equal words at another time, belong to another call. A unique id
 * decides alone.
 */
export function matchCall(
  call: AnonymousCall,
  items: readonly unknown[],
  hasTimes: boolean,
): Fit | undefined {
  const { messages, lastMessages, ended } = call
  let [read, shared, same, sameTime, otherTime] = [0, 0, 0, 0, 0]
  let isProven = false
  for (let index = 0; index < items.length; index++) {
    const expected = lastMessages[index]
    const item = items[index]
    const isExpected = expected !== undefined && isUnchanged(item, expected)
    const message = isExpected ? expected : readMessage(item)
    if (message === undefined) continue
    read++
    const id = idOf(message, index)
    const knownMessage = isExpected ? expected : messages.get(id)
    if (knownMessage === undefined) continue
    shared++
    if (!isProven && isUnique(id)) isProven = true
    if (isExpected || (knownMessage.text === message.text && knownMessage.role === message.role)) {
      same++
      if (knownMessage.timestamp !== undefined && message.timestamp !== undefined) {
        if (knownMessage.timestamp === message.timestamp) sameTime++
        else otherTime++
      }
    } else if (!isProven && !isVersion(knownMessage, message, items.length < call.largest)) {
      return undefined
    }
  }
  if (shared === 0) return undefined
  const isRestamped = hasTimes && sameTime === 0 && otherTime > 0
  if (isProven) return { same, sameTime, isRestamped: false, isCertain: true }
  if (shared < read && shared < messages.size) return undefined
  if (ended && read < messages.size && sameTime < shared) return undefined
  if (isRestamped && (same < 2 || same < messages.size)) return undefined
  return { same, sameTime, isRestamped, isCertain: sameTime === shared }
}

/** Adds an update that matches the call. */
export function addToCall(call: AnonymousCall, items: readonly unknown[]): AnonymousMessage[] {
  const { messages } = call
  const news: AnonymousMessage[] = []
  const isNewest = items.length >= call.largest
  const lastMessages = isNewest ? call.lastMessages : []
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    const expected = call.lastMessages[index]
    if (expected !== undefined && isUnchanged(item, expected)) continue
    const message = readMessage(item)
    if (message === undefined) continue
    const id = idOf(message, index)
    const knownMessage = messages.get(id)
    if (knownMessage !== undefined && !isNewest) continue
    const isKnown = knownMessage?.text === message.text && knownMessage.timestamp === message.timestamp
    const next =
      knownMessage !== undefined && isKnown ? knownMessage : toAnonymousMessage(id, message, knownMessage)
    messages.set(id, next)
    lastMessages[index] = next
    if (next === knownMessage) continue
    call.bytes += weight(next) - (knownMessage === undefined ? 0 : weight(knownMessage))
    news.push(next)
  }
  call.largest = Math.max(call.largest, items.length)
  return news
}

export function idOf({ messageId, id }: Partial<ReadMessage & AnonymousMessage>, index: number): string {
  return id ?? messageId ?? `#${index}`
}

function toAnonymousMessage(
  id: string,
  { role, text, timestamp }: ReadMessage,
  knownMessage?: AnonymousMessage,
): AnonymousMessage {
  const past =
    knownMessage === undefined || knownMessage.text === text
      ? (knownMessage?.past ?? [])
      : [...knownMessage.past, knownMessage.text]
  return { id, role, text, timestamp, past: past.slice(-maxPast) }
}

const maxPast = 20

function weight({ id, text, past }: AnonymousMessage): number {
  return 300 + 2 * (id.length + text.length + past.reduce((sum, { length }) => sum + length, 0))
}

/** An update that is older than the call may have an earlier text, or the beginning of one. */
function isVersion(
  knownMessage: AnonymousMessage,
  message: ReadMessage | AnonymousMessage,
  isOlder: boolean,
): boolean {
  if (knownMessage.role !== message.role) return false
  if (knownMessage.past.includes(message.text)) return true
  if (isContinued(knownMessage.text, message.text))
    return !isOlder || message.text.length <= knownMessage.text.length
  const times = [knownMessage.timestamp, message.timestamp]
  // A text that is heard better keeps its time.
  if (isOlder || (!times.includes(undefined) && times[0] !== times[1])) return false
  return isEdit(knownMessage.text, message.text)
}

function isUnchanged(item: unknown, knownMessage: AnonymousMessage): boolean {
  return (
    isSameMessage(item, knownMessage) &&
    item.role === knownMessage.role &&
    item.timestamp === knownMessage.timestamp
  )
}

/** An id such as `user-1` occurs in every call; an id with a UUID or many digits in only one. */
function isUnique(id: string): boolean {
  return id.length >= 10 && (/\d{10}/.test(id) || (/[0-9a-f]{12}/i.test(id) && /\d/.test(id)))
}
