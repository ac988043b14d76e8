import type { Clock } from '../lib/clock.ts'
import { createDeferred, createKeyedQueue } from '../lib/queue.ts'
import type { Broker, PublishResult } from './broker.ts'
import type { RelayMetrics } from './metrics.ts'
import { type MessageOptions, messagesOf, type RelayedMessage, readSpooled } from './relayed-event.ts'
import type { StoredMessage } from './segment.ts'
import type { Spool, SpooledEvent } from './spool.ts'
import type { Stopwatch } from './stopwatch.ts'
import { createSubjects } from './subjects.ts'

export interface PublisherOptions {
  readonly spool: Spool
  /** Runs while the broker is connected. */
  readonly uptime: Stopwatch
  readonly stream: string
  /** Identity of the relay, in the headers of its messages. */
  readonly relay: string
  readonly clock: Clock
  readonly metrics: RelayMetrics
  /** Opens another connection. */
  connect(): Promise<Broker>
  /** Must not throw. */
  onEvent(event: PublisherEvent): void
}

export type PublisherEvent =
  | { readonly kind: 'connected'; readonly broker: Broker }
  /** Reported once per trouble. Events are accepted into the spool meanwhile. */
  | { readonly kind: 'disconnected'; readonly error: unknown }
  /** Events that had been acknowledged before the trouble were published again. */
  | { readonly kind: 'republished'; readonly events: number; readonly duplicates: number }
  /** The broker never accepts this event; it stays in the spool. */
  | { readonly kind: 'too-large'; readonly bytes: number }
/** Calls published side by side; events of one call wait for each other, so that a retry does not change their order. */
const maxInFlight = 512
const maxQueuedBytes = 32 * 1024 ** 2
const firstPauseMs = 250
const maxPauseMs = 2000

interface Job {
  readonly message: RelayedMessage
  readonly event: SpooledEvent
  /** Messages of the event that are not acknowledged yet. */
  readonly open: { count: number }
}

/** Publishes the events of the spool over one connection after another, until it is closed. */
export function startPublisher(options: PublisherOptions, first: Broker | undefined) {
  const { spool, uptime, clock, metrics, onEvent } = options
  const closing = new AbortController()
  const idleWaiters: (() => void)[] = []
  const messageOptions = { relay: options.relay, subjectOf: createSubjects(options.stream) }
  let pauseMs = firstPauseMs
  let broker: Broker | undefined
  let isReported = false
  const totals = { published: 0, duplicates: 0 }

  const disconnected = (error: unknown) => {
    if (isReported || closing.signal.aborted) return
    isReported = true
    onEvent({ kind: 'disconnected', error })
  }
  const pause = async () => {
    await clock.sleep(pauseMs, closing.signal).catch(() => undefined)
    pauseMs = Math.min(2 * pauseMs, maxPauseMs)
  }
  const acknowledge = (event: SpooledEvent, message: StoredMessage | undefined) => {
    const isFirst = spool.acknowledge(event, message)
    if (spool.unpublished > 0) return isFirst
    for (const wake of idleWaiters.splice(0)) wake()
    return isFirst
  }

  const publishOver = async (connected: Broker) => {
    const trouble = new AbortController()
    const until = AbortSignal.any([trouble.signal, closing.signal])
    void connected.closed.then(error => trouble.abort(error ?? new Error('the connection was closed')))
    let queuedBytes = 0
    let repeated = await spool.rewind(connected.findStored)
    const republished = { events: repeated, duplicates: 0 }
    const onResult = ({ message, event, open }: Job, result: PublishResult) => {
      if (result instanceof Error) return trouble.abort(result)
      if (result === 'too-large') return onEvent({ kind: 'too-large', bytes: message.body.length })
      pauseMs = firstPauseMs
      totals.published++
      metrics.published.inc()
      if (result.isDuplicate) {
        totals.duplicates++
        metrics.duplicates.inc()
      }
      open.count--
      if (open.count > 0) return
      if (!acknowledge(event, result) && repeated > 0) {
        if (result.isDuplicate) republished.duplicates++
        if (--repeated === 0) onEvent({ kind: 'republished', ...republished })
      }
    }
    const publish = (job: Job) =>
      new Promise<void>(resolve => {
        if (until.aborted) return resolve()
        const stop = metrics.publishSeconds.startTimer()
        connected.publish(job.message, result => {
          if (typeof result === 'object' && !(result instanceof Error)) stop()
          queuedBytes -= job.message.body.length
          onResult(job, result)
          resolve()
        })
      })
    const queue = createKeyedQueue<Job>(maxInFlight, publish)
    const push = (event: SpooledEvent) => {
      if (spool.isAcknowledged(event)) return
      const messages = readMessages(event, messageOptions)
      if (messages.length === 0) acknowledge(event, undefined)
      const open = { count: messages.length }
      for (const message of messages) {
        queuedBytes += message.body.length
        queue.push(message.key, { message, event, open })
      }
    }
    const feed = async () => {
      for (;;) {
        const events = await spool.next(until)
        if (events.length === 0) return
        for (const event of events) push(event)
        await queue.fewer(2 * maxInFlight)
        while (queuedBytes > maxQueuedBytes) await queue.fewer(queue.left)
      }
    }
    await feed().catch(error => trouble.abort(error))
    // Running publishes end with the connection, the others at once.
    if (trouble.signal.aborted) await connected.close().catch(() => undefined)
    await queue.fewer(1)
    if (trouble.signal.aborted) disconnected(trouble.signal.reason)
  }

  const work = async () => {
    let next = first
    while (!closing.signal.aborted) {
      try {
        broker = next ?? (await options.connect())
        next = undefined
        uptime.start()
        metrics.connected.set(1)
        isReported = false
        onEvent({ kind: 'connected', broker })
        await publishOver(broker)
      } catch (error) {
        disconnected(error)
      } finally {
        uptime.stop()
        metrics.connected.set(0)
        await broker?.close().catch(() => undefined)
        broker = undefined
      }
      await pause()
    }
  }
  const ended = work()
  return {
    /** Messages that JetStream acknowledged, and how many of them it already had. */
    totals,
    get isConnected() {
      return broker !== undefined
    },
    /** Resolves when JetStream has acknowledged every event once. */
    async idle() {
      const { promise, resolve } = createDeferred()
      idleWaiters.push(resolve)
      if (spool.unpublished > 0) await promise
    },
    /** Stops publishing; what is not acknowledged stays in the spool. Never rejects. */
    async close() {
      closing.abort()
      await ended
    },
  }
}

/** Messages of a spooled event; none for a line that was only partially written, whose sender got no 200. */
function readMessages(
  { segment, range, accepted }: SpooledEvent,
  options: MessageOptions,
): readonly RelayedMessage[] {
  if (accepted !== undefined) return messagesOf(accepted, options)
  const recordedEvent = segment.read(range)
  return recordedEvent === undefined ? [] : messagesOf(readSpooled(recordedEvent), options)
}
