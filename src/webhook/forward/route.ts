import { setMaxListeners } from 'node:events'
import type { Clock } from '../../context.ts'
import { createLanes } from '../lanes.ts'
import { type EventAnswer, type EventFailure, postEvent } from '../post-event.ts'
import { withoutQuery } from '../without-query.ts'
import type { ForwardNews, TargetTotals } from './forward-news.ts'
import { createOutage } from './outage.ts'
import { type ForwardTarget, keyOf } from './targets.ts'

/** An event on its way to one target or several. */
export interface Parcel {
  readonly callId: string | null
  readonly type: string
  /** When it arrived, ISO 8601. */
  readonly at: string
  /** Whether it is on disk too. */
  readonly kept: boolean
  /** The body as it came. Throws what the system throws where it must be read back. */
  load(): { readonly body: Buffer; readonly contentType: string }
  /** The target with this key needs it no more; without a key, none does. */
  done(key?: string): void
}

/** The way to one target. */
export interface Route {
  readonly key: string
  readonly type: string | undefined
  send(parcel: Parcel): void
  /** Parcels that wait or are on their way. */
  readonly left: number
  /** The target is not waited for any more when it refuses connections: it is tried once, now. */
  hurry(): void
  /** Breaks off what is on its way, and sends nothing more. */
  abort(): void
  /** Resolves when nothing waits and nothing is on its way. */
  empty(): Promise<void>
  totals(): TargetTotals
}

interface RouteOptions {
  /** Milliseconds for one attempt. */
  readonly timeout: number
  readonly clock: Clock
  tell(news: ForwardNews): void
}

/** Requests at a time, each of another call. */
const atOnce = 64

export function createRoute(target: ForwardTarget, { timeout, clock, tell }: RouteOptions): Route {
  const key = keyOf(target)
  const address = withoutQuery(target.url)
  const counts = { delivered: 0, failed: 0, undelivered: 0, lost: 0 }
  const ending = new AbortController()
  const { signal } = ending
  // Each request listens to it.
  setMaxListeners(0, signal)

  const outage = createOutage({
    clock,
    signal,
    changed: isDown =>
      tell(
        isDown
          ? { kind: 'forward-down', target: address }
          : { kind: 'forward-up', target: address, waiting: lanes.left },
      ),
    givenUp: () => ending.abort(),
  })
  const post = async (parcel: Parcel): Promise<EventAnswer | EventFailure> => {
    // What is not sent any more is not read back either.
    signal.throwIfAborted()
    const body = loadOf(parcel)
    if ('failure' in body) return body
    for (;;) {
      const turn = await outage.turn()
      const answer = await postEvent({ ...target, ...body, timeout, signal, clock })
      if (!('failure' in answer && answer.failure.refused)) {
        turn.answered()
        return answer
      }
      turn.refused()
    }
  }
  const settle = ({ callId, type, at }: Parcel, answer: EventAnswer | EventFailure) => {
    if ('status' in answer && answer.status >= 200 && answer.status < 300) {
      counts.delivered++
      return
    }
    counts.failed++
    tell({ kind: 'forward-failed', target: address, callId, type, at, ...outcomeOf(answer) })
  }
  const lanes = createLanes<Parcel>(atOnce, async parcel => {
    try {
      settle(parcel, await post(parcel))
      parcel.done(key)
    } catch (error) {
      if (!signal.aborted) throw error
      counts.undelivered++
      if (!parcel.kept) counts.lost++
    }
  })
  return {
    key,
    type: target.type,
    send: parcel => lanes.push(parcel.callId, parcel),
    get left() {
      return lanes.left
    },
    hurry: outage.hurry,
    abort: () => ending.abort(),
    empty: () => lanes.fewer(1),
    totals: () => ({ target: address, type: target.type ?? null, ...counts }),
  }
}

function loadOf(parcel: Parcel): ReturnType<Parcel['load']> | EventFailure {
  try {
    return parcel.load()
  } catch (error) {
    const reason = `it cannot be read back: ${error instanceof Error ? error.message : String(error)}`
    return { failure: { reason, refused: false, milliseconds: 0 } }
  }
}

/** Characters of an answer that are told. */
const longestTold = 500

function outcomeOf(answer: EventAnswer | EventFailure) {
  if ('failure' in answer) {
    const { reason, milliseconds } = answer.failure
    return { reason, milliseconds }
  }
  const { status, milliseconds, body } = answer
  return { status, milliseconds, ...(body === '' ? {} : { body: body.slice(0, longestTold) }) }
}
