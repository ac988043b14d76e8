import { setMaxListeners } from 'node:events'
import type { Clock } from '../../lib/clock.ts'
import { getErrorReason } from '../../lib/error.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import { createKeyedQueue } from '../../lib/queue.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import type { Delivery } from './delivery.ts'
import type { Envelope } from './envelope.ts'
import { type ForwardEvent, type ForwardTarget, type ForwardTotals, getTargetKey } from './forward-event.ts'
import type { ContentHeaders, EventFailure, EventOutcome } from './post-event.ts'
import type { SendingThread } from './sending-thread.ts'

export interface Body extends ContentHeaders {
  readonly body: Buffer
  readonly envelope: Envelope
}

export interface EventHead {
  readonly callId: string | null
  readonly type: string
  /** When it arrived, ISO 8601. */
  readonly at: string
}

export interface QueuedEvent extends EventHead {
  /** True if it is also on disk. */
  readonly isStored: boolean
  /** Returns the raw body. @throws errors of the file system if it must be read back. */
  load(): Body
  /** True if another process sends it. */
  isTaken(): boolean | Promise<boolean>
  onDelivery?(delivery: Delivery): void
  /** The target has it, or is not to get it any more. */
  done(): void
  /** It is left to another process. */
  leave(): void
}

export type TargetTotals = ForwardTotals['targets'][number]

export interface TargetSenderOptions {
  /** Milliseconds for one attempt. */
  readonly timeout: number
  /** Retries per event after a missing or temporary response. */
  readonly retries: number
  readonly clock: Clock
  readonly thread: SendingThread
  onEvent(news: ForwardEvent): void
}

/** Requests at a time, each of another call. */
const atOnce = 64
/** Before an event is tried again; the last one from then on. */
const pausesMs = [500, 1000, 2000, 4000, 5000]

/** The way to one target. */
export function createTargetSender(
  target: ForwardTarget,
  { timeout, retries, clock, thread, onEvent }: TargetSenderOptions,
) {
  const { url, headers } = target
  const address = withoutQuery(url)
  const counts = {
    /** Responses with 2xx. */
    delivered: 0,
    /** Other or missing responses, not retried. */
    failed: 0,
    /** Not sent, or broken off at the end. */
    undelivered: 0,
    /** Undelivered events that are not stored anywhere. */
    lost: 0,
  }
  const ending = new AbortController()
  const { signal } = ending
  // Each pause and each wait for the target listens to it.
  setMaxListeners(0, signal)

  const breaker = createCircuitBreaker({
    clock,
    signal,
    onChanged: isDown =>
      onEvent(
        isDown
          ? { kind: 'forward-down', target: address }
          : { kind: 'forward-up', target: address, waiting: queue.left },
      ),
  })
  /** Undefined for an event that another process sends. */
  const deliver = async (queued: QueuedEvent): Promise<EventOutcome | undefined> => {
    // What is not sent any more is not read back either.
    signal.throwIfAborted()
    const body = loadOf(queued)
    if ('failure' in body) return body
    for (let retry = 0; ; retry++) {
      const outcome = await post(queued, body)
      if (outcome === undefined) return undefined
      const isLast = retry === retries || !mayChange(outcome)
      queued.onDelivery?.(attemptedDelivery(outcome, retry + 1, !isLast))
      if (isLast) return outcome
      const again = pausesMs[Math.min(retry, pausesMs.length - 1)] ?? 0
      onEvent({ kind: 'forward-retried', ...attemptOf(queued, outcome), again })
      await clock.sleep(again, signal)
    }
  }
  const post = (queued: QueuedEvent, body: Body) =>
    breaker.send(async () => {
      if (await queued.isTaken()) return undefined
      const outcome = await thread.post({ url, headers, ...body, timeout })
      if (!('failure' in outcome) || !outcome.failure.unsent) return outcome
      queued.onDelivery?.({ state: 'waiting', reason: outcome.failure.reason })
      return 'refused'
    })
  const attemptOf = ({ callId, type, at }: QueuedEvent, outcome: EventOutcome) => ({
    target: address,
    callId,
    type,
    at,
    ...reportOf(outcome),
  })
  const settle = (queued: QueuedEvent, outcome: EventOutcome) => {
    if ('status' in outcome && outcome.status >= 200 && outcome.status < 300) counts.delivered++
    else {
      counts.failed++
      onEvent({ kind: 'forward-failed', ...attemptOf(queued, outcome) })
    }
    queued.done()
  }
  const queue = createKeyedQueue<QueuedEvent>(atOnce, async queued => {
    try {
      const outcome = await deliver(queued)
      if (outcome !== undefined) return settle(queued, outcome)
      queued.leave()
    } catch (error) {
      if (!signal.aborted) throw error
    }
    counts.undelivered++
    if (!queued.isStored) counts.lost++
  })
  return {
    key: getTargetKey(target),
    send: (queued: QueuedEvent) => queue.push(queued.callId, queued),
    /** Events that wait or are on their way. */
    get left(): number {
      return queue.left
    },
    /** The deadline is close: a target that refuses connections is tried now. */
    hurry: breaker.hurry,
    /** Breaks off what is on its way, and sends nothing more. */
    abort: () => ending.abort(),
    /** Resolves when nothing waits and nothing is on its way. */
    empty: () => queue.fewer(1),
    totals: (): TargetTotals => ({ target: address, type: target.type ?? null, ...counts }),
  }
}

function attemptedDelivery(outcome: EventOutcome, attempt: number, again: boolean): Delivery {
  const { milliseconds } = 'failure' in outcome ? outcome.failure : outcome
  const result = 'failure' in outcome ? { reason: outcome.failure.reason } : { status: outcome.status }
  return { state: 'sent', attempt, again, milliseconds, ...result }
}

/** True if a retry may succeed. */
function mayChange(outcome: EventOutcome): boolean {
  if ('failure' in outcome) return true
  const { status } = outcome
  return status >= 500 || status === 408 || status === 429
}

function loadOf(queued: QueuedEvent): Body | EventFailure {
  try {
    return queued.load()
  } catch (error) {
    const reason = `it cannot be read back: ${getErrorReason(error)}`
    return { failure: { reason, unsent: false, milliseconds: 0 } }
  }
}

/** Characters of a response in a report. */
const maxShownLength = 500

function reportOf(outcome: EventOutcome) {
  if ('failure' in outcome) {
    const { reason, milliseconds } = outcome.failure
    return { reason, milliseconds }
  }
  const { status, milliseconds, body } = outcome
  return { status, milliseconds, ...(body === '' ? {} : { body: body.slice(0, maxShownLength) }) }
}
