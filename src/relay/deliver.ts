import type { TailSink } from '../events/receive/index.ts'
import type { Clock } from '../lib/clock.ts'
import { addToGroup } from '../lib/group-by.ts'
import type { HeldPartition, HeldPartitions } from './held-partitions.ts'
import type { StreamMessage } from './stream-message.ts'

export interface DelivererOptions {
  readonly heldPartitions: HeldPartitions
  readonly sink: TailSink
  readonly clock: Clock
}

interface DeliverOptions extends DelivererOptions {
  /** Aborts when nothing more is to be delivered over this connection. */
  readonly signal: AbortSignal
  /** True while this process may handle events. */
  isValid(): boolean
  /** True if positions were saved a moment ago. The next tail prints again what was printed after that. */
  isSaved(): boolean
}

const pauseMs = 10
/** Bytes and number of events that may be in progress. */
const maxInFlightBytes = 32 * 1024 ** 2
const maxInFlight = 4096
/** Bytes of one partition that wait to be remembered. */
const maxHistoryBytes = 2 * 1024 ** 2

/**
 * Returns a function that hands the messages of held partitions to the sink, each once, and resolves when it may have the next one. It
 * rejects when the process may not handle events any more.
 *
 * Events that an earlier process has handled are read first. Parsing them takes ten times as long as reading them, and new events would wait
 * after a crash. So they are remembered before the next event of their call, and the rest when the process is idle.
 */
export function createDeliverer(options: DeliverOptions) {
  const { heldPartitions, sink, clock, signal, isValid, isSaved } = options

  const hasRoom = () => {
    const allPartitions = heldPartitions.all()
    const events = allPartitions.reduce((sum, { tracker }) => sum + tracker.inFlight, 0)
    return events < maxInFlight && allPartitions.reduce((sum, { bytes }) => sum + bytes, 0) < maxInFlightBytes
  }
  const rememberCall = (own: HeldPartition, subject: string) => {
    const deliveries = own.history.get(subject) ?? []
    own.history.delete(subject)
    for (const delivery of deliveries) {
      own.historyBytes -= delivery.body.length
      sink.remember(delivery)
    }
  }
  const rememberOldest = (own: HeldPartition) => {
    for (const subject of own.history.keys()) return rememberCall(own, subject)
  }
  let isRemembering = false
  const rememberRest = async () => {
    isRemembering = true
    while (!signal.aborted) {
      const own = heldPartitions.all().find(({ history }) => history.size > 0)
      if (own === undefined) break
      rememberOldest(own)
      // Events that have arrived meanwhile come first.
      await clock.sleep(0, signal).catch(() => undefined)
    }
    isRemembering = false
  }
  const rememberLater = (own: HeldPartition, { subject, delivery }: StreamMessage) => {
    addToGroup(own.history, subject, delivery)
    own.historyBytes += delivery.body.length
    while (own.historyBytes > maxHistoryBytes) rememberOldest(own)
    if (!isRemembering) void rememberRest()
  }
  const isOpen = (own: HeldPartition) => {
    // A process that was paused finds its lease ended.
    if (!isValid()) throw new Error('the lease ended')
    return !signal.aborted && !own.isClosing && !own.isLost
  }
  const handOver = async (own: HeldPartition, { sequence, subject, delivery }: StreamMessage) => {
    const size = delivery.body.length
    const claim = {
      done() {
        own.bytes -= size
        own.unfinished.delete(sequence)
        own.tracker.finish(sequence)
      },
      // An event without a call id that comes again would not be new: its call cannot be forgotten.
      isLost: () => !hasNoCall(subject) && heldPartitions.isLost(own),
    }
    let result = sink.accept(delivery, claim)
    while (result.kind === 'busy') {
      await clock.sleep(pauseMs, signal)
      if (!isOpen(own)) return
      result = sink.accept(delivery, claim)
    }
    own.tracker.add(sequence)
    own.unfinished.set(sequence, subject)
    own.bytes += size
    if (result.kind === 'accepted') return result.show()
    sink.onRefused(result.rejection)
    claim.done()
  }
  // Events that were read over an earlier connection.
  void rememberRest()
  return async (message: StreamMessage): Promise<void> => {
    const { sequence, subject, delivery } = message
    const own = heldPartitions.get(message.partition)
    if (own === undefined) return
    while (isOpen(own) && !(hasRoom() && isSaved())) await clock.sleep(pauseMs, signal)
    if (sequence < own.readNext || !isOpen(own)) return
    if (own.abandoned.delete(subject)) sink.forget(delivery)
    if (own.tracker.has(sequence)) {
      // Another process has handled it. Without a call id, it may be of any call.
      if (!hasNoCall(subject)) rememberLater(own, message)
      own.tracker.add(sequence)
      own.readNext = sequence + 1
    } else {
      rememberCall(own, subject)
      await handOver(own, message)
      own.readNext = Math.max(own.readNext, own.tracker.unread)
    }
  }
}

function hasNoCall(subject: string): boolean {
  return subject.endsWith('.-')
}
