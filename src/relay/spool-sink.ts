import { createDeliveryReader, type Rejection } from '../events/conversation/index.ts'
import type { EventSink } from '../events/receive/index.ts'
import { recordBody, redactRequest, type Secrecy, toRecordedLine } from '../events/recordings/index.ts'
import type { Clock } from '../lib/clock.ts'
import { getErrorReason } from '../lib/error.ts'
import type { RelayMetrics } from './metrics.ts'
import type { RelayEvent } from './relay-event-schemas.ts'
import { type AcceptedDelivery, groupByCall, hasTooManyCalls } from './relayed-event.ts'
import type { Spool } from './spool.ts'

interface SpoolSinkOptions extends Secrecy {
  readonly spool: Spool
  readonly metrics: RelayMetrics
  readonly clock: Clock
  readonly maxBodyBytes: number
  report(event: RelayEvent): void
}

/** A sender may vary its mistakes without end; the summary still counts them. */
const maxReported = 20

const tooManyCalls: Rejection = { status: 413, message: 'the body has events of too many calls for its size' }

/** Accepts deliveries into the spool. */
export function createSpoolSink(options: SpoolSinkOptions) {
  const { spool, metrics, clock, maxBodyBytes, report } = options
  const readDelivery = createDeliveryReader(maxBodyBytes)
  const totals = { received: 0, rejected: 0 }
  const refusals = new Set<string>()
  let isFull = false
  let isFailing = false

  const hasRoom = (bytes: number) => {
    const wasFull = isFull
    isFull = spool.isFull(bytes)
    if (isFull && !wasFull) report({ kind: 'spool-full', bytes: spool.bytes, unpublished: spool.unpublished })
    if (!isFull && wasFull) report({ kind: 'spool-free', bytes: spool.bytes })
    return !isFull
  }
  const store = async (line: Buffer, accepted: AcceptedDelivery) => {
    try {
      await spool.append(line, accepted)
    } catch (error) {
      if (!isFailing) report({ kind: 'spool-failing', reason: getErrorReason(error) })
      isFailing = true
      throw error
    }
    isFailing = false
    totals.received++
    metrics.received.inc()
  }
  const sink: EventSink = {
    accept(delivery) {
      const read = readDelivery(delivery)
      if ('status' in read) return { kind: 'malformed', rejection: read }
      const { body } = delivery
      const calls = groupByCall(read.events)
      if (hasTooManyCalls(calls, body)) return { kind: 'malformed', rejection: tooManyCalls }
      const request = redactRequest(delivery, options)
      const at = new Date(clock.now()).toISOString()
      const line = Buffer.from(toRecordedLine({ at, ...request, ...recordBody(body) }))
      if (!hasRoom(line.length)) return { kind: 'busy', reason: 'the spool is full' }
      return { kind: 'accepted', durable: store(line, { at, ...request, body, calls }), show() {} }
    },
    onRefused({ status, message }) {
      totals.rejected++
      metrics.rejected.inc({ status: String(status) })
      const key = `${status} ${message}`
      if (refusals.has(key) || refusals.size >= maxReported) return
      refusals.add(key)
      report({ kind: 'refused', status, message })
    },
  }
  return { sink, totals }
}
