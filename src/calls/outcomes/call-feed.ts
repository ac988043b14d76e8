import {
  type AppliedEvent,
  createConversationTracker,
  createDeliveryReader,
  type ReceivedDelivery,
} from '../../events/conversation/index.ts'
import type { OutcomeWords } from '../../events/conversation/read-outcome.ts'
import {
  type EventSource,
  openTail,
  type RunningSource,
  type TailEvent,
  type TailOptions,
} from '../../events/receive/index.ts'
import { type RecordedEvent, recordedEvents } from '../../events/recordings/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { createDeferred } from '../../lib/queue.ts'
import { type CallTracker, type CallUpdate, createCallTracker } from './call-tracker.ts'

/** Updates of calls from their webhook events (interface.md 6). */
export interface CallFeed {
  /** Takes updates from here on, the recorded ones first. Resolves once all of these were taken. */
  start(onUpdate: (update: CallUpdate) => void): Promise<void>
  /** Rejects if no more events can arrive. */
  readonly failed: Promise<never>
  close(): Promise<void>
}

interface FeedOptions {
  readonly words?: OutcomeWords | undefined
  readonly clock: Clock
}

/** Follows calls in a recording that grows, which a `webhook tail --record` writes. */
export async function followRecordedCalls(path: string, { words, clock }: FeedOptions): Promise<CallFeed> {
  const { loadFollower } = await import('../../events/recordings/index.ts')
  const { followRecording } = await loadFollower()
  const closing = new AbortController()
  const { failed, fail } = createFailure()
  let reading: Promise<void> | undefined
  return {
    failed,
    start(onUpdate) {
      const tracker = createCallTracker({ words })
      const handleRecorded = takeRecorded(tracker, tracker, onUpdate)
      return new Promise(resolve => {
        const options = { clock, signal: closing.signal, onCaughtUp: resolve }
        const read = async () => {
          for await (const event of followRecording(path, options)) handleRecorded(event)
        }
        reading = read().catch(fail).finally(resolve)
      })
    },
    async close() {
      closing.abort()
      await reading
    },
  }
}

type Delivery = ReceivedDelivery & { readonly at: string }

interface DeliveryFeedOptions {
  readonly words?: OutcomeWords | undefined
  /** Takes the reason why an event was not read. */
  onUnreadable(reason: string): void
}

/** Follows calls by deliveries that another process has received. Closing it ends the iterator. */
export function followDeliveries(
  deliveries: AsyncIterable<Delivery>,
  { words, onUnreadable }: DeliveryFeedOptions,
): CallFeed {
  const readBody = createDeliveryReader()
  const counter = createConversationTracker()
  const tracker = createCallTracker({ words })
  const { failed, fail } = createFailure()
  let iterator: AsyncIterator<Delivery> | undefined
  let isClosed = false
  const handleDelivery = ({ body, headers, at }: Delivery, onUpdate: (update: CallUpdate) => void) => {
    const read = readBody({ body, headers })
    if ('message' in read) return onUnreadable(read.message)
    for (const event of read.events) {
      const update = tracker.update(counter.apply(event), Date.parse(at))
      if (update !== undefined) onUpdate(update)
    }
  }
  const readDeliveries = async (onUpdate: (update: CallUpdate) => void) => {
    iterator = deliveries[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await iterator.next()
      if (isClosed || done === true) return
      handleDelivery(value, onUpdate)
    }
  }
  return {
    failed,
    async start(onUpdate) {
      void readDeliveries(onUpdate).catch(fail)
    },
    async close() {
      isClosed = true
      // A generator that waits for its next event cannot end before it, so nothing waits for the generator.
      void iterator?.return?.()?.catch(() => undefined)
    },
  }
}

export interface ListeningFeed<Running extends RunningSource> extends CallFeed {
  readonly source: Running
}

export interface CallFeedOptions<Running extends RunningSource> extends FeedOptions {
  readonly source: EventSource<Running>
  /** Takes each event before it is acknowledged. */
  readonly recorder: TailOptions['recorder']
  /** Events recorded earlier. */
  readonly recorded: AsyncIterable<RecordedEvent>
  /** Takes events that are not about a call. */
  onTailEvent(event: TailEvent): void
}

/** Follows calls by the events that arrive at a source. Each is recorded before it is acknowledged, so that a kill loses none. */
export async function listenForCalls<Running extends RunningSource>({
  words,
  clock,
  source,
  recorder,
  recorded,
  onTailEvent,
}: CallFeedOptions<Running>): Promise<ListeningFeed<Running>> {
  let onAppliedEvent: ((appliedEvent: AppliedEvent, at: number) => void) | undefined
  const early: { readonly appliedEvent: AppliedEvent; readonly at: number }[] = []
  const tracker = createCallTracker({ words })
  const tail = await openTail<Running>({
    source,
    recorder,
    watcher: {
      observe(appliedEvent) {
        const at = clock.now()
        if (onAppliedEvent === undefined) early.push({ appliedEvent, at })
        else onAppliedEvent(appliedEvent, at)
        return () => undefined
      },
    },
  })
  const { failed, fail } = createFailure()
  const reading = readAll(tail.events, onTailEvent).catch(fail)
  return {
    source: tail.source,
    failed,
    async start(onUpdate) {
      const takeEvent = takeRecorded(tracker, createCallTracker({ words }), onUpdate)
      for await (const event of recorded) takeEvent(event)
      const handleEvent = (appliedEvent: AppliedEvent, at: number) => {
        const update = tracker.update(appliedEvent, at)
        if (update !== undefined) onUpdate(update)
      }
      for (const { appliedEvent, at } of early.splice(0)) handleEvent(appliedEvent, at)
      onAppliedEvent = handleEvent
    },
    async close() {
      await tail.close()
      await reading
    },
  }
}

/**
 * Returns a function that reads recorded events and reports the updates of their calls. Calls with ids go to `tracker`, which can
 * continue with live events. Calls without ids are numbered per process, so `withoutIds` tracks them separately.
 */
function takeRecorded(tracker: CallTracker, withoutIds: CallTracker, onUpdate: (update: CallUpdate) => void) {
  const counter = createConversationTracker()
  return (recordedEvent: RecordedEvent) => {
    for (const event of recordedEvents(recordedEvent)) {
      const appliedEvent = counter.apply(event)
      const ofCall = appliedEvent.origin.callId === null ? withoutIds : tracker
      const update = ofCall.update(appliedEvent, Date.parse(recordedEvent.at))
      if (update !== undefined) onUpdate(update)
    }
  }
}

async function readAll(events: AsyncIterable<TailEvent>, onEvent: (event: TailEvent) => void): Promise<void> {
  for await (const event of events) onEvent(event)
}

function createFailure() {
  const { promise: failed, reject: fail } = createDeferred<never>()
  // The run awaits it only while it waits for calls.
  failed.catch(() => undefined)
  return { failed, fail }
}
