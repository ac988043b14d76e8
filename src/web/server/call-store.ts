import {
  type AppliedEvent,
  type CallKey,
  getCallKey,
  type ReceivedDelivery,
} from '../../events/conversation/index.ts'
import type { ShownDelivery } from '../wire.ts'
import { createPageCall, type EventDeliveries, type PageCall } from './page-call.ts'

export interface StoreBounds {
  /** Calls kept; default: 1000. */
  readonly maxCalls?: number
  /** Estimated bytes of everything kept; default: 64 MiB. */
  readonly maxBytes?: number
  /** Bodies kept of one call; default: 2000. */
  readonly maxEvents?: number
}

export type CallStore = ReturnType<typeof createCallStore>

/**
 * The calls of a page. Bounded however long a tail runs: finished calls go first, the one that was quiet longest before
 * others, then the bodies of the events of the quietest calls, then live calls, at the very last the call that just grew. A call that
 * was dropped is kept again from its next event on, unless only live calls are kept.
 */
export function createCallStore({
  maxCalls = 1000,
  maxBytes = 64 * 1024 ** 2,
  maxEvents = 2000,
}: StoreBounds = {}) {
  const byId = new Map<CallKey, PageCall>()
  // Ordered by last event, so that the next call to drop is first and needs no search.
  const byKey = new Map<number, PageCall>()
  const finished = new Set<PageCall>()
  const withBodies = new Set<PageCall>()
  let lately: { key: number; version: number }[] = []
  let latelyFrom = 0
  let keys = 0
  let version = 0
  let bytes = 0
  let dropped = 0

  const drop = (call: PageCall) => {
    byKey.delete(call.key)
    byId.delete(getCallKey(call.origin))
    finished.delete(call)
    withBodies.delete(call)
    bytes -= call.bytes
    dropped++
    lately.push({ key: call.key, version })
    if (lately.length > maxDropped) {
      const half = lately.length >> 1
      latelyFrom = lately[half - 1]?.version ?? version
      lately = lately.slice(half)
    }
  }
  const fits = () => byKey.size <= maxCalls && bytes <= maxBytes
  const dropCalls = (calls: Iterable<PageCall>, spared?: PageCall) => {
    for (const call of calls) {
      if (fits()) return
      if (call !== spared) drop(call)
    }
  }
  const dropBodies = () => {
    for (const call of withBodies) {
      if (bytes <= maxBytes) return
      const before = call.bytes
      let hasMore = true
      while (hasMore && bytes - before + call.bytes > maxBytes) hasMore = call.dropEvent()
      bytes += call.bytes - before
      if (!hasMore) withBodies.delete(call)
    }
  }
  const makeRoom = (grown: PageCall) => {
    if (fits()) return
    dropCalls(finished, grown)
    dropBodies()
    dropCalls(byKey.values(), grown)
    dropCalls([grown])
  }
  const putLast = (call: PageCall) => {
    byId.set(getCallKey(call.origin), call)
    byKey.delete(call.key)
    byKey.set(call.key, call)
    finished.delete(call)
    if (call.finished) finished.add(call)
    withBodies.delete(call)
    withBodies.add(call)
  }
  const noteFor = (key: number, forwarding: EventDeliveries) => (delivery: ShownDelivery) => {
    const call = byKey.get(key)
    if (call === undefined) return
    const before = call.bytes
    call.delivered(forwarding, delivery, ++version)
    bytes += call.bytes - before
    makeRoom(call)
  }

  return {
    /** Returns a callback for the deliveries of the event. It keeps neither the event nor its call in memory. */
    add(
      appliedEvent: AppliedEvent,
      delivery: ReceivedDelivery,
      at: number,
    ): (delivery: ShownDelivery) => void {
      const knownCall = byId.get(appliedEvent.key)
      // A call that was dropped replaces no live call. Otherwise calls beyond the limit would replace each other at every event.
      if (knownCall === undefined && !appliedEvent.isFirst && byKey.size >= maxCalls && finished.size === 0)
        return () => {}
      const call = knownCall ?? createPageCall(++keys, appliedEvent, at, maxEvents)
      // A call that was dropped is kept again.
      if (knownCall === undefined && !appliedEvent.isFirst && dropped > 0) dropped--
      const before = byKey.has(call.key) ? call.bytes : 0
      const forwarding = call.add(appliedEvent, delivery, at, ++version)
      bytes += call.bytes - before
      putLast(call)
      makeRoom(call)
      return noteFor(call.key, forwarding)
    },
    get: (key: number): PageCall | undefined => byKey.get(key),
    /** A callback for further deliveries of an event, as `add` returns one. */
    noteFor,
    /** The one whose last event is oldest comes first. */
    calls: (): Iterable<PageCall> => byKey.values(),
    /** Counts everything that changes. */
    get version() {
      return version
    },
    get bytes() {
      return bytes
    },
    /** Calls that are no longer kept. */
    get dropped() {
      return dropped
    },
    /** The keys dropped after a version; undefined when that is too long ago to tell. */
    droppedSince: (since: number) =>
      since < latelyFrom ? undefined : lately.filter(({ version: at }) => at > since).map(({ key }) => key),
  }
}

/** Dropped calls that are remembered by key; a page that is further behind gets the whole list. */
const maxDropped = 2000
