import Queue from 'yocto-queue'
import {
  type AppliedEvent,
  type CallTranscript,
  createCallBuilder,
  type ReceivedDelivery,
} from '../../events/conversation/index.ts'
import { hasFailed } from '../delivery.ts'
import type { ShownDelivery, ShownEvent } from '../wire.ts'

export interface RawEvent extends Omit<ShownEvent, 'bytes' | 'deliveries'> {
  readonly body: Buffer
  /** Headers and query, to send them again. */
  readonly request: { readonly headers: ReceivedDelivery['headers']; readonly query: string | undefined }
  readonly forwarding: EventDeliveries
}

/** Deliveries of an event, apart from its body: a callback keeps them in memory until the last delivery ends. */
export interface EventDeliveries {
  /** Number of the event. */
  readonly number: number
  readonly deliveries: ShownDelivery[]
  /** Version of the last change. */
  version: number
}

export type PageCall = Readonly<ReturnType<typeof createPageCall>>

/** One call as the page shows it from an event on, with the bodies of its last events. */
export function createPageCall(
  key: number,
  { origin, isFirst }: AppliedEvent,
  firstAt: number,
  maxEvents: number,
) {
  const builder = createCallBuilder(origin, new Date(firstAt).toISOString(), { withDetails: true })
  const messages: { version: number; bytes: number }[] = []
  const events = new Queue<RawEvent>()
  let largest = 0

  const call = {
    key,
    origin,
    builder,
    /** True if no earlier event is missing. */
    isWhole: isFirst,
    firstAt,
    lastAt: firstAt,
    /** Events taken, kept or not. */
    taken: 0,
    /** Versions of the last event, and of the last change of the analysis. */
    version: 0,
    analysisVersion: 0,
    /** Deliveries that failed, and were not repeated with success. */
    failedDeliveries: 0,
    /** Estimated memory. */
    bytes: callBytes + 2 * (origin.callId?.length ?? 0),
    get events(): readonly RawEvent[] {
      return [...events]
    },
    get finished(): boolean {
      return builder.call.ended
    },
    /** Messages that its events carried and that are not among its messages. */
    get missing(): number {
      return Math.max(0, largest - builder.call.messages.length - builder.call.malformedItems)
    },
    /** Returns the version of the last change of the message at an index. */
    messageVersion: (index: number) => messages[index]?.version ?? 0,
    /** Each event comes with a greater version than all before; `at` in milliseconds since the epoch. */
    add(event: AppliedEvent, delivery: ReceivedDelivery, at: number, version: number): EventDeliveries {
      const { changes } = event
      const { type, messages: snapshot } = event.event
      const arrived = new Date(at).toISOString()
      for (const index of builder.add({ ...event, at: arrived })) {
        const size = messageBytes(builder.call.messages[index])
        call.bytes += size - (messages[index]?.bytes ?? 0)
        messages[index] = { version, bytes: size }
      }
      for (const change of changes) {
        if (change.kind === 'status' && change.analysis !== undefined) call.analysisVersion = version
        // A status or another event keeps a part of its body.
        if (change.kind === 'status') call.bytes += 2 * delivery.body.length + entryBytes
        if (change.kind === 'event') call.bytes += 2 * change.type.length + entryBytes
      }
      largest = Math.max(largest, snapshot?.length ?? 0)
      call.lastAt = at
      call.version = version
      call.taken++
      const raw: RawEvent = {
        number: call.taken,
        type: type.slice(0, maxTypeLength),
        at,
        news: changes.length,
        odd: oddOf(event),
        contentType: (delivery.headers['content-type'] ?? 'application/json').slice(0, maxTypeLength),
        body: delivery.body,
        request: { headers: delivery.headers, query: delivery.query },
        forwarding: { number: call.taken, deliveries: [], version },
      }
      events.enqueue(raw)
      call.bytes += sizeOf(raw)
      if (events.size > maxEvents) call.dropEvent()
      return raw.forwarding
    },
    /** Records the state of a delivery, and counts failures. */
    delivered(forwarding: EventDeliveries, delivery: ShownDelivery, version: number): void {
      const { number, deliveries } = forwarding
      const deliveryIndex = deliveries.findIndex(({ target }) => target === delivery.target)
      const before = deliveries[deliveryIndex]
      call.failedDeliveries += Number(hasFailed(delivery)) - Number(before !== undefined && hasFailed(before))
      deliveries[deliveryIndex === -1 ? deliveries.length : deliveryIndex] =
        'reason' in delivery
          ? { ...delivery, reason: delivery.reason?.slice(0, maxTypeLength) ?? '' }
          : delivery
      forwarding.version = version
      call.version = version
      if (before === undefined && number > call.taken - events.size) call.bytes += entryBytes
    },
    /** Forgets the oldest body; false when there is none. */
    dropEvent(): boolean {
      const oldest = events.dequeue()
      if (oldest === undefined) return false
      call.bytes -= sizeOf(oldest)
      return true
    },
  }
  return call
}

function oddOf({ event, changes }: AppliedEvent): string[] {
  const items = changes.flatMap(change =>
    change.kind === 'malformed' ? [`${change.path} is not a message`] : [],
  )
  return [...event.odd, ...items].slice(0, maxOdd).map(words => words.slice(0, maxTypeLength))
}

const maxOdd = 10

/** Estimated memory of a call without what is in it, of a status, of a message without its texts. */
const callBytes = 2048
const entryBytes = 256
const maxTypeLength = 200

function sizeOf({ body, request, odd, forwarding }: RawEvent): number {
  return (
    body.length +
    Object.keys(request.headers).length * headerBytes +
    (2 + odd.length + forwarding.deliveries.length) * entryBytes
  )
}

/** Estimated memory of a header. */
const headerBytes = 60

function messageBytes(message: CallTranscript['messages'][number] | undefined): number {
  if (message === undefined) return 0
  const { messageId, role, text, timestamp } = message
  const length = (messageId?.length ?? 0) + role.length + text.length + (timestamp?.length ?? 0)
  return entryBytes + 2 * length
}
