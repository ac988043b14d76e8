import { randomUUID } from 'node:crypto'
import { decodeUtf8 } from '../../../files/text/index.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import { getEventMessage, hasLargeNumber, parseEvent, type ReadEvent, readEvent } from './read-event.ts'

/** The last body of a call. */
interface KeptBody {
  readonly body: Buffer
  readonly event: ReadEvent
  /** Part that is known to be messages; undefined if the body was parsed as a whole. */
  readonly knownPart: KnownPart | undefined
  /** Bodies in a row that were like the one before, and had to be parsed as a whole anyway. */
  readonly misses: number
}

/** The beginning of a body: some text, then whole items of the list of messages. */
interface KnownPart {
  /** Up to the bracket that opens the list. */
  readonly head: string
  readonly items: readonly unknown[]
  /** Bytes up to the end of the last of these items. */
  readonly end: number
}

/**
 * Reads the bodies of events. A conversation-update contains all messages so far (interface.md 6), so parsing every body takes time
 * quadratic in the length of a call. This reader parses only new bytes: it keeps the last body of each call, and if the next one starts
 * with the same bytes, it parses the rest with a marker instead of the known messages. Later bytes can change the meaning (a key may be
 * repeated), so if the marker does not end up in the list of messages, the whole body is parsed.
 */
export function createBodyReader({
  /** Estimated bytes of all kept bodies. */
  maxBytes = 64 * 1024 ** 2,
  /** A larger body is not kept. */
  maxBodyBytes = 1024 ** 2,
  /** Smaller bodies are parsed completely. */
  minBodyBytes = 4096,
} = {}) {
  // By the start of the body, which contains the call id or its first message; least recently used first.
  const keptBodies = new Map<number, KeptBody>()
  let bytes = 0
  // In no body of a sender, who cannot know it.
  const marker = randomUUID()

  const seenOnce = new Int32Array(4096)
  const isSecond = (key: number): boolean => {
    const slot = key & (seenOnce.length - 1)
    if (seenOnce[slot] === key) return true
    seenOnce[slot] = key
    return false
  }
  const forget = (key: number, { body }: KeptBody) => {
    keptBodies.delete(key)
    bytes -= estimateBytes(body)
  }
  const storeBody = (key: number, last: KeptBody | undefined, next: KeptBody) => {
    if (last !== undefined) forget(key, last)
    keptBodies.set(key, next)
    bytes += estimateBytes(next.body)
    for (const [oldest, keptBody] of keptBodies) {
      if (bytes <= maxBytes) return
      forget(oldest, keptBody)
    }
  }
  /** Returns the event of a body that starts with these bytes; undefined if unknown. */
  const readRest = (
    { head, items, end }: KnownPart,
    body: Buffer,
    before: ReadEvent,
  ): ReadEvent | undefined => {
    const rest = decodeUtf8(body.subarray(end))
    const parsed = rest === undefined ? undefined : parseJson(`${head}"${marker}"${rest}`)
    if (!isObject(parsed)) return undefined
    const message = getEventMessage(parsed)
    const { messages } = message
    if (!Array.isArray(messages) || messages[0] !== marker) return undefined
    Object.assign(message, { messages: items.concat(messages.slice(1)) })
    if (hasLargeNumber(message)) return undefined
    const growth = { token: {}, before: before.growth?.token, unchanged: items.length }
    return { ...readEvent(parsed), growth }
  }

  return {
    /** Parses a body like `parseEvent`; returns a message for a body that is not an event. Never throws. */
    read(body: Buffer): ReadEvent | string {
      if (body.length < minBodyBytes || body.length > maxBodyBytes) return readWhole(body)
      const key = fingerprintOf(body)
      const last = keptBodies.get(key)
      // Most bodies that are alone in their beginning stay so: keeping them would cost more than it saves.
      if (last === undefined && !isSecond(key)) return readWhole(body)
      if (last?.body.equals(body)) return last.event
      const shared = last === undefined || last.misses >= maxMisses ? undefined : sharedPart(last, body)
      const knownPart = shared === 'miss' ? undefined : shared
      const continuation = knownPart && last && readRest(knownPart, body, last.event)
      const event = continuation ?? readWhole(body)
      if (typeof event === 'string' || event.messages === undefined) return event
      const isMiss = shared !== undefined && continuation === undefined
      const misses = continuation === undefined ? (last?.misses ?? 0) + (isMiss ? 1 : 0) : 0
      storeBody(key, last, { body, event, knownPart: continuation && knownPart, misses })
      return event
    },
  }
}

/** FNV-1a of its beginning: enough to name a call, or the words or the id of its first message. */
function fingerprintOf(body: Buffer): number {
  const end = Math.min(body.length, 200)
  let hash = 0x811c9dc5
  for (let index = 0; index < end; index++) hash = Math.imul(hash ^ (body[index] ?? 0), 0x01000193)
  return hash
}

/** In a row; then the bodies of a call are parsed without looking. */
const maxMisses = 3

/** A body, its text and what was parsed of it. A body that came in one piece is part of a larger buffer. */
function estimateBytes({ buffer, length }: Buffer): number {
  return buffer.byteLength + 3 * length
}

/**
 * Finds the part shared with the previous body, up to the end of a message; undefined if it is short, `miss` if the search failed and
 * cost as much as parsing.
 */
function sharedPart(
  { body: last, event, knownPart }: KeptBody,
  body: Buffer,
): KnownPart | 'miss' | undefined {
  const start = knownPart?.end ?? startOfMessages(last)
  if (start === undefined || body.length < start || body.compare(last, 0, start, 0, start) !== 0)
    return undefined
  const difference = firstDifference(last, body, start)
  // Without a known part, reading the items twice must be worth it.
  if (knownPart === undefined && 2 * difference < body.length) return undefined
  for (const end of endsOfItems(last, start, difference)) {
    const text = decodeUtf8(last.subarray(start, end))
    const items = parseJson(knownPart === undefined ? `[${text}]` : `[0${text}]`)
    if (!Array.isArray(items) || items.length === 0) continue
    if (knownPart === undefined) return { head: last.toString('utf8', 0, start), items, end }
    const count = knownPart.items.length + items.length - 1
    const { messages = [] } = event
    return {
      head: knownPart.head,
      end,
      items: count === messages.length ? messages : messages.slice(0, count),
    }
  }
  return knownPart ?? 'miss'
}

/** Past the bracket that opens the first list of this name. */
function startOfMessages(body: Buffer): number | undefined {
  const name = '"messages"'
  for (let index = body.indexOf(name); index !== -1; index = body.indexOf(name, index + 1)) {
    const value = index + name.length
    const [opening] = /^\s*:\s*\[/.exec(body.toString('latin1', value, value + 100)) ?? []
    if (opening !== undefined) return value + opening.length
  }
  return undefined
}

/** Yields possible ends of items before an offset, last first. */
function* endsOfItems(body: Buffer, start: number, offset: number): Iterable<number> {
  const next = body.toString('latin1', offset, offset + 100).trimStart()[0]
  if (offset > start && (next === ',' || next === ']')) yield offset
  let end = offset
  for (let tries = 0; tries < maxTries; tries++) {
    end = body.lastIndexOf('},', end - 1)
    if (end < start) return
    yield end + 1
  }
}

/** Objects inside the last item. */
const maxTries = 3

function firstDifference(one: Buffer, other: Buffer, start: number): number {
  let index = start
  while (index < one.length && one[index] === other[index]) index++
  return index
}

/** Reads a body without using earlier bodies. */
export function readWhole(body: Buffer): ReadEvent | string {
  const text = decodeUtf8(body)
  return text === undefined ? 'the body is not UTF-8' : parseEvent(text)
}
