import { foldWord } from '../../interface/words.ts'
import { dropOldest } from '../../lib/drop-oldest.ts'
import { digest } from '../../lib/hash.ts'
import {
  type AnonymousCall,
  type AnonymousMessage,
  addToCall,
  type Fit,
  idOf,
  matchCall,
  newAnonymousCall,
} from './anonymous-call.ts'
import type { CallOrigin } from './changes.ts'
import { type CacheBounds, defaultMaxCalls } from './conversation-cache.ts'
import { hasPayload } from './read/event-kinds.ts'
import { liveStatuses, readTextValue, readTime } from './read/event-values.ts'
import type { ReadMessage } from './read/read-event.ts'
import { type ReadEvent, readMessage } from './read/read-event.ts'

/** Call that an event is assigned to. */
export interface CallAssignment {
  readonly origin: CallOrigin
  readonly isDoubtful: boolean
}

/**
 * Assigns events without a call id to calls (interface.md 6 does not require one in a conversation-update). An update belongs to the
 * call whose messages it continues, or starts a new call; a status belongs to the call with the latest message. Bounded: the least
 * recently active call is dropped first.
 */
export function createCallsWithoutId({
  maxCalls = defaultMaxCalls,
  maxBytes = 64 * 1024 ** 2,
}: CacheBounds = {}) {
  // The one whose last event is newest comes last.
  const calls = new Map<number, AnonymousCall>()
  const index = createIndex()
  /** Calls with an id that have not ended: with the last of them those without end, too. */
  const liveIds = new Set<string>()
  let numbers = 0
  let bytes = 0
  let recent: AnonymousCall[] = []
  let hasTimes = true

  const touch = (call: AnonymousCall) => {
    if (recent[0] !== call) recent = [call, ...recent.filter(other => other !== call)].slice(0, maxRecent)
    calls.delete(call.number)
    calls.set(call.number, call)
    for (const oldest of calls.values()) {
      if (calls.size <= maxCalls && (bytes <= maxBytes || oldest === call)) return
      calls.delete(oldest.number)
      index.remove(oldest)
      bytes -= oldest.bytes
    }
  }
  const createCall = () => newAnonymousCall(++numbers)

  const find = (event: ReadEvent, items: readonly unknown[]) => {
    let best: { call: AnonymousCall; fit: Fit } | undefined
    let isDoubtful = false
    const tried = new Set<AnonymousCall>()
    const attempt = (call: AnonymousCall | undefined) => {
      if (call === undefined || tried.has(call)) return
      tried.add(call)
      const fit = agrees(call, event) ? matchCall(call, items, hasTimes) : undefined
      if (fit === undefined) return
      const difference = best === undefined ? 1 : fit.sameTime - best.fit.sameTime || fit.same - best.fit.same
      isDoubtful = difference === 0
      if (difference > 0) best = { call, fit }
    }
    attempt(recent[0])
    // An update that adds one message to the latest call needs no search.
    if (best !== undefined && best.fit.same >= Math.max(2, items.length - 1)) return { ...best, isDoubtful }
    for (const numbers of index.of(items)) {
      for (const number of numbers) attempt(calls.get(number))
      if ((best !== undefined && best.fit.same > 1) || tried.size > 2 * maxRecent) break
    }
    if (best === undefined) for (const call of recent) attempt(call)
    return { ...best, isDoubtful }
  }

  const placeMessages = (event: ReadEvent, items: readonly unknown[]) => {
    const { call: matchedCall, fit, isDoubtful } = find(event, items)
    const fresh = recent.find(({ ended, messages }) => !ended && messages.size === 0)
    // The words of a call that is over, while another one has begun to ring: they are its beginning.
    const isBeginning = fresh !== undefined && matchedCall?.ended === true && fit?.isCertain !== true
    const call = (isBeginning ? fresh : matchedCall) ?? fresh ?? createCall()
    if (fit?.isRestamped === true) hasTimes = false
    const isBesideAnother = matchedCall === undefined && recent.some(other => other !== call && !other.ended)
    const before = call.bytes
    for (const message of addToCall(call, items)) index.add(call, message)
    bytes += call.bytes - before
    note(call, event)
    touch(call)
    return { origin: originOf(call), isDoubtful: isDoubtful || isBesideAnother }
  }

  const placeStatus = (event: ReadEvent) => {
    const { ended } = event
    const position = progressOf(event)
    const candidates = recent.filter(call => agrees(call, event))
    const live = candidates.filter(call => !call.ended)
    const [newest] = live
    const isBeginning =
      position === 0 && newest !== undefined && (newest.messages.size > 0 || newest.progress > 0)
    const repeated = candidates.find(
      call => call.ended && (ended || position === -1 || isSameStart(call, event)),
    )
    const call = isBeginning ? createCall() : (newest ?? repeated ?? createCall())
    note(call, event)
    touch(call)
    return { origin: originOf(call), isDoubtful: live.length > 1 }
  }

  const noteNamed = (callId: string, ended: boolean) => {
    if (!ended) liveIds.add(callId)
    else if (liveIds.delete(callId) && liveIds.size === 0) for (const call of recent) call.ended = true
    dropOldest(liveIds, maxCalls)
  }

  return {
    /** The call of an event, and whether it may be another one; for all events in their order. */
    assign(event: ReadEvent): CallAssignment {
      const { callId, messages, status, analysis } = event
      if (callId !== null) {
        noteNamed(callId, event.ended)
        return { origin: { callId }, isDoubtful: false }
      }
      if (messages?.some(item => readMessage(item) !== undefined)) return placeMessages(event, messages)
      const isOfCall =
        messages !== undefined ||
        (hasPayload(event.type, 'status') && status !== undefined) ||
        analysis !== undefined ||
        event.ended
      return isOfCall ? placeStatus(event) : { origin: { callId: null }, isDoubtful: false }
    },
  }
}

/** Calls that an update without any known message is compared with. */
const maxRecent = 32

function originOf({ number }: AnonymousCall): CallOrigin {
  return { callId: null, conversation: number }
}

function note(call: AnonymousCall, event: ReadEvent): void {
  if (event.ended) call.ended = true
  if (hasPayload(event.type, 'status')) call.progress = Math.max(call.progress, progressOf(event))
  for (const [name, value] of factsOf(event)) call.facts.set(name, value)
}

function progressOf({ status }: ReadEvent): number {
  return status === undefined ? -1 : liveStatuses.indexOf(foldWord(status))
}

function agrees({ facts }: AnonymousCall, event: ReadEvent): boolean {
  return factsOf(event).every(([name, value]) => (facts.get(name) ?? value) === value)
}

function isSameStart({ facts }: AnonymousCall, { call }: ReadEvent): boolean {
  return facts.get('startAt') !== undefined && facts.get('startAt') === readTime(call.startAt)
}

/** Returns facts that are unique per call. */
function factsOf({ call, customer }: ReadEvent): [string, string][] {
  const facts = {
    startAt: readTime(call.startAt),
    userNumber: readTextValue(call.userNumber) ?? readTextValue(customer.number),
    assistantNumber: readTextValue(call.assistantNumber),
  }
  return Object.entries(facts).filter((pair): pair is [string, string] => pair[1] !== undefined)
}

/** Calls by the text of their messages. */
function createIndex() {
  const numbers = new Map<string, readonly number[]>()
  return {
    add({ number }: AnonymousCall, message: AnonymousMessage) {
      const key = keyOf(message.id, message)
      numbers.set(
        key,
        [...(numbers.get(key) ?? []).filter(other => other !== number), number].slice(-maxRecent),
      )
    },
    remove({ number, messages }: AnonymousCall) {
      for (const [id, message] of messages) {
        const key = keyOf(id, message)
        const left = (numbers.get(key) ?? []).filter(other => other !== number)
        if (left.length === 0) numbers.delete(key)
        else numbers.set(key, left)
      }
    },
    /** Yields the calls with the last of these messages, then with the one before it: late messages identify calls best. */
    *of(items: readonly unknown[]): Iterable<readonly number[]> {
      for (let index = items.length - 1; index >= 0; index--) {
        const message = readMessage(items[index])
        const callNumbers =
          message === undefined ? undefined : numbers.get(keyOf(idOf(message, index), message))
        if (callNumbers !== undefined) yield callNumbers.toReversed()
      }
    },
  }
}

function keyOf(id: string, { role, text, timestamp = '' }: Omit<ReadMessage, 'messageId'>): string {
  return digest(`${id}\n${role}\n${timestamp}\n${text}`)
}
