import type * as z from 'zod/mini'
import type { Clock } from '../../lib/clock.ts'
import { startTimer } from '../../lib/clock.ts'
import type { Immutable } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { createQueue } from '../../lib/queue.ts'
import type { BodyForm, ReceivedDelivery, Rejection } from '../conversation/index.ts'
import {
  type AppliedEvent,
  type ConversationEvents,
  countConversationEvents,
  createConversationTracker,
  createDeliveryReader,
  hasPayload,
} from '../conversation/index.ts'
import { type Claim, type Forwarder, type OnDelivery, splitClaim } from '../forward/index.ts'
import type { summarySchema } from './event-schemas.ts'
import type { DeliveryResult, EventSource, RunningSource, SourceEvent, TailSink } from './event-source.ts'

export interface TailOptions<Running extends RunningSource = RunningSource> {
  readonly source: EventSource<Running, TailSink>
  /** Also applies after decompression. Default: 10 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** Bytes of events that may wait for the reader of `events`; default: 64 MiB. */
  readonly maxWaiting?: number
  /** Records each event before it is accepted; if recording fails, the tail is busy. Closed by the caller, after the tail. */
  readonly recorder?: { append(delivery: ReceivedDelivery): boolean } | undefined
  /** Receives every event before the response is sent; the caller closes it after the tail. */
  readonly forwarder?: Forwarder | undefined
  readonly watcher?: Watcher | undefined
  /** Watches all events; the caller closes it after the tail. */
  readonly guard?: EventGuard | undefined
}

/** Takes each event after its sender has the response, and what an earlier process took. Does not throw. */
export interface EventGuard {
  onEvent(appliedEvent: AppliedEvent): void
  remember(appliedEvent: AppliedEvent): void
}

/** Shows calls while they last. */
export interface Watcher {
  /** Returns a callback for the deliveries of the event to forward targets. Does not throw. */
  observe(appliedEvent: AppliedEvent, delivery: ReceivedDelivery): OnDelivery
}

/** The first request refused with this status and message; the summary counts them all. */
export type RefusedEvent = Rejection & { readonly kind: 'refused' }

/** A body is not a single JSON object in UTF-8. Emitted once per form, before the events of the body. */
export interface BodyFormEvent {
  readonly kind: 'body-form'
  readonly form: BodyForm
}

export type SummaryEvent = Immutable<z.infer<typeof summarySchema>>

export type TailEvent =
  | { readonly kind: 'ready'; readonly url: string }
  | ConversationEvents
  | RefusedEvent
  | BodyFormEvent
  | SourceEvent
  | SummaryEvent

export interface Tail<Running extends RunningSource = RunningSource> {
  readonly source: Running
  /** `ready` first, `summary` last; for one reader. */
  readonly events: AsyncIterable<TailEvent>
  /** When the event that is being read arrived, in milliseconds since the epoch; undefined for one that arrives now. */
  arrivedAt(): number | undefined
  /** Makes the claim of the event that is being read wait for this work too. */
  waitFor(work: Promise<unknown>): void
  /** Closes the source; the events then end with the summary. */
  close(): Promise<void>
}

/**
 * Converts the webhook events of a source (interface.md 4.8 and 6) to changes: each message once per call, status changes, edits.
 * Deliveries are acknowledged before the reader has read their changes. If more than `maxWaiting` changes wait for the reader, the source
 * is told that the tail is busy, so that nothing is accepted and dropped.
 * @throws CallyardError as the source does when it starts
 */
export async function openTail<Running extends RunningSource>({
  source,
  maxWaiting = 64 * 1024 ** 2,
  maxBodyBytes,
  recorder,
  forwarder,
  watcher,
  guard,
}: TailOptions<Running>): Promise<Tail<Running>> {
  const queue = createQueue<TailEvent>()
  const events: AsyncIterable<TailEvent> = queue
  const counter = createConversationTracker()
  let badRequests = 0
  const reportedRejections = new Set<string>()
  const reportedForms = new Set<BodyForm>()
  const reportForm = (form: BodyForm) => {
    if (reportedForms.has(form)) return
    reportedForms.add(form)
    queue.push({ kind: 'body-form', form }, 0)
  }

  const readDelivery = createDeliveryReader(maxBodyBytes)
  let arrivedAt: number | undefined
  let heldWork: Promise<unknown>[] = []
  const release = (claim: Claim) => {
    if (heldWork.length === 0) return claim.done()
    void Promise.allSettled(heldWork).then(claim.done)
    heldWork = []
  }
  const running = await source.start({
    accept(delivery, whole) {
      const result = readDelivery(delivery)
      if ('status' in result) return { kind: 'malformed', rejection: result }
      if (queue.waiting > maxWaiting) return readerBehind
      const claim =
        whole && splitClaim(whole, 1 + (recorder === undefined ? 0 : 1) + (forwarder === undefined ? 0 : 1))
      // Before the response, which the sender may have received when a kill comes.
      if (recorder?.append(delivery) === false) return notRecorded
      if (recorder !== undefined) claim?.done()
      const { events, forms, plain } = result
      const forwarding = forwarder?.store(events, delivery, claim)
      const visibleDelivery = watcher && forms.length > 0 ? plainDelivery(delivery, plain) : delivery
      return {
        kind: 'accepted',
        show() {
          for (const form of forms) reportForm(form)
          let isNew = false
          let unreadCount = 0
          const reading = claim && {
            isStale: claim.isLost,
            onTaken() {
              arrivedAt = delivery.at === undefined ? undefined : Date.parse(delivery.at)
            },
            onRead() {
              unreadCount--
              if (unreadCount === 0) release(claim)
            },
          }
          const observers: OnDelivery[] = []
          for (const event of events) {
            const appliedEvent = counter.apply(event)
            guard?.onEvent(appliedEvent)
            isNew ||= appliedEvent.changes.length > 0
            if (watcher !== undefined) observers.push(watcher.observe(appliedEvent, visibleDelivery))
            const news = countConversationEvents(appliedEvent)
            for (const conversationEvents of news)
              queue.push(conversationEvents, plain.length / events.length / news.length, reading)
            unreadCount += news.length
          }
          if (unreadCount === 0) claim?.done()
          forwarding?.send(isNew, observers.length === 0 ? undefined : toAll(observers))
        },
      }
    },
    remember(delivery) {
      const result = readDelivery(delivery)
      if ('status' in result) return
      const visibleDelivery = result.forms.length > 0 ? plainDelivery(delivery, result.plain) : delivery
      for (const event of result.events) {
        const appliedEvent = counter.remember(event)
        guard?.remember(appliedEvent)
        watcher?.observe(appliedEvent, visibleDelivery)
      }
    },
    forget(delivery) {
      const result = readDelivery(delivery)
      if ('status' in result) return
      for (const event of result.events) counter.forget(event)
    },
    onEvent: event => queue.push(event, 0),
    onFailed: error => queue.fail(error),
    onRefused(refusal) {
      badRequests++
      const key = `${refusal.status} ${refusal.message}`
      if (reportedRejections.has(key) || reportedRejections.size >= maxReported) return
      reportedRejections.add(key)
      queue.push({ kind: 'refused', ...refusal }, 0)
    },
  })
  queue.push({ kind: 'ready', url: running.address }, 0)

  return {
    source: running,
    events,
    arrivedAt: () => arrivedAt,
    waitFor: work => void heldWork.push(work),
    close: lazy(async () => {
      await running.close()
      queue.push({ kind: 'summary', ...counter.counts(), badRequests }, 0)
      queue.end()
    }),
  }
}

/** Calls each of the observers. A closure in the request handler would keep the body in memory until the delivery ends. */
function toAll(observers: readonly OnDelivery[]): OnDelivery {
  return (target, state) => {
    for (const observe of observers) observe(target, state)
  }
}

/** Decoded text of a body that is not plain JSON, which the page shows and can send again. */
function plainDelivery({ headers }: ReceivedDelivery, plain: Buffer): ReceivedDelivery {
  const { 'content-encoding': _, 'content-type': type, ...rest } = headers
  const contentType = type?.replace(/;\s*charset=[^;]*/i, '')
  return { body: plain, headers: { ...rest, ...(contentType && { 'content-type': contentType }) } }
}

/** A sender may vary its mistakes without end; the summary still counts them. */
const maxReported = 20

const notRecorded: DeliveryResult = { kind: 'busy', reason: 'the event could not be recorded' }

const readerBehind: DeliveryResult = { kind: 'busy', reason: 'this reader is too slow' }

/**
 * Closes a listener when its call ends. If only a conversation-update reported the end, waits up to five seconds for the
 * status-update with the analysis.
 */
export function endWithCall(close: () => void, clock: Clock, isWanted: (event: TailEvent) => boolean) {
  let cancel = () => {}
  let isOver = false
  return {
    /** For every event in its order. */
    onEvent(event: TailEvent) {
      if (event.kind === 'summary') cancel()
      if (event.kind !== 'ended' && event.kind !== 'status') return
      if (!isWanted(event) || (event.kind === 'status' && event.ended !== true)) return
      const wasOver = isOver
      isOver = true
      if (!hasPayload(event.type ?? 'status-update', 'messages')) return close()
      if (!wasOver) cancel = startTimer(statusTimeoutMs, close, clock)
    },
    get isOver() {
      return isOver
    },
  }
}

const statusTimeoutMs = 5000
