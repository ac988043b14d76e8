import type { Change } from './changes.ts'
import { advance } from './conversation.ts'
import { callIdOf, newConversation } from './conversation-state.ts'
import type { Refusal } from './gate.ts'
import { createQueue } from './queue.ts'
import { type ReceiverOptions, startReceiver } from './receiver.ts'
import { createSeen, type SeenBounds } from './seen.ts'

export interface TailOptions extends Omit<ReceiverOptions, 'maxBody'> {
  /** Bytes; 10 MiB unless told. */
  readonly maxBody?: number
  readonly seen?: SeenBounds
  /** Bytes of events that may wait for the reader of `events`; 64 MiB unless told. */
  readonly maxWaiting?: number
}

export interface ReadyEvent {
  readonly kind: 'ready'
  readonly url: string
}

/** The first request refused with this status and message; the summary counts them all. */
export interface RefusedEvent extends Refusal {
  readonly kind: 'refused'
}

export interface SummaryEvent {
  readonly kind: 'summary'
  /** Calls seen; one that was forgotten and comes back counts again. */
  readonly calls: number
  readonly finished: number
  readonly events: number
  readonly messages: number
  readonly edits: number
  /** Messages and statuses that were already known. */
  readonly repeats: number
  /** Statuses that arrived after a later one. */
  readonly late: number
  readonly badRequests: number
}

export type TailEvent = ReadyEvent | Change | RefusedEvent | SummaryEvent

export interface Tail {
  readonly url: string
  readonly port: number
  /** `ready` first, `summary` last; for one reader. */
  readonly events: AsyncIterable<TailEvent>
  /** Takes no more, lets running requests end; the iteration then ends with the summary. */
  close(): Promise<void>
}

/**
 * Listens for webhook events (interface.md 4.8 and 6) and turns them into what is new: each message once per call,
 * status changes, edits. A sender is answered however slow the reader is. Only what is new waits for the reader; when
 * more than `maxWaiting` does, events are refused with 503 and counted, never accepted and dropped.
 * @throws CliError as startReceiver does.
 */
export async function openTail({
  seen: bounds,
  maxWaiting = 64 * 1024 ** 2,
  maxBody = 10 * 1024 ** 2,
  ...options
}: TailOptions): Promise<Tail> {
  const queue = createQueue<TailEvent>()
  const seen = createSeen(bounds)
  const counts = {
    calls: 0,
    finished: 0,
    events: 0,
    messages: 0,
    edits: 0,
    repeats: 0,
    late: 0,
    badRequests: 0,
  }
  const told = new Set<string>()

  const receiver = await startReceiver(
    { ...options, maxBody },
    {
      onEvent(event, { body }) {
        const callId = callIdOf(event)
        const known = seen.get(callId)
        const { conversation, changes, repeats, late } = advance(known ?? newConversation, event)
        seen.put(callId, conversation)
        counts.events++
        counts.repeats += repeats
        counts.late += late
        if (known === undefined && callId !== null) counts.calls++
        if (conversation.finished && known?.finished !== true) counts.finished++
        for (const change of changes) {
          if (change.kind === 'message') counts.messages++
          if (change.kind === 'edit') counts.edits++
          queue.push(change, body.length / changes.length)
        }
      },
      onRefused(refusal) {
        counts.badRequests++
        const key = `${refusal.status} ${refusal.message}`
        if (told.has(key) || told.size >= mostTold) return
        told.add(key)
        queue.push({ kind: 'refused', ...refusal }, 0)
      },
      refusal: () => (queue.waiting > maxWaiting ? readerBehind : undefined),
    },
  )
  queue.push({ kind: 'ready', url: receiver.url }, 0)

  let closed: Promise<void> | undefined
  const close = async () => {
    await receiver.close()
    queue.push({ kind: 'summary', ...counts }, 0)
    queue.end()
  }
  return {
    url: receiver.url,
    port: receiver.port,
    events: queue,
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** A sender may vary its mistakes without end; the summary still counts them. */
const mostTold = 20

const readerBehind: Refusal = {
  status: 503,
  message: 'the reader of this tail is too far behind',
  headers: { 'retry-after': '1' },
}
