import { withoutQuery } from '../../lib/net/address.ts'
import { recordedBytes } from '../recordings/index.ts'
import { envelopeOf } from './envelope.ts'
import type { LogEntry, NewEvent, StoredTarget } from './event-log.ts'
import { type ForwardTarget, getTargetKey } from './forward-event.ts'
import { contentHeaders } from './post-event.ts'
import {
  type Body,
  createTargetSender,
  type EventHead,
  type QueuedEvent,
  type TargetSenderOptions,
} from './target-sender.ts'

/** A body for several targets. */
interface SharedBody {
  /** Returns undefined if the body did not fit, or once no target needs it. */
  read(): Body | undefined
  /** One of its targets does not need it any more. */
  release(): void
}

type BodyMemory = ReturnType<typeof createBodyMemory>

/** Bodies that wait in memory, each once for all of its targets. */
export function createBodyMemory(maxBytes: number) {
  let usedBytes = 0
  return {
    /** Keeps a body of `size` bytes, if there is space, until this many targets have released it. */
    share(body: Body, size: number, targets: number): SharedBody {
      let heldBody = usedBytes + size <= maxBytes ? body : undefined
      let left = targets
      if (heldBody !== undefined) usedBytes += size
      return {
        read: () => heldBody,
        release() {
          left--
          if (left > 0 || heldBody === undefined) return
          // Released here: the owner of the event may remember it for longer.
          heldBody = undefined
          usedBytes -= size
        },
      }
    },
    get isHalfFull() {
      return usedBytes > maxBytes / 2
    },
  }
}

/** An event that was just accepted. */
export interface ArrivedEvent extends EventHead {
  readonly newEvent: NewEvent
  readonly shared: SharedBody
  /** Bytes that it counts for while it waits. */
  readonly size: number
}

/** Log entry of an event, or the reason that it could not be written. */
export type Written = { readonly entry: LogEntry } | { readonly reason: string }

interface TargetQueueOptions extends TargetSenderOptions {
  readonly memory: BodyMemory
  /** Bytes of events that may wait. */
  readonly maxWaiting: number
  isTaken(): boolean
}

export type TargetQueue = ReturnType<typeof createTargetQueue>

/** The events that wait for one target, bounded, and the way to it. */
export function createTargetQueue(target: ForwardTarget, options: TargetQueueOptions) {
  const { memory, maxWaiting, isTaken, onEvent } = options
  const address = withoutQuery(target.url)
  let waiting = 0
  let dropped = 0
  let isDropping = false
  let isWritable = true

  const drop = ({ at, shared }: ArrivedEvent, reason: 'full' | 'disk') => {
    shared.release()
    dropped++
    if (!isDropping) onEvent({ kind: 'forward-dropped', target: address, since: at, why: reason })
    isDropping = true
  }
  const noteWritten = (written: Written, since: string) => {
    const isWritten = 'entry' in written
    if (!isWritten && isWritable)
      onEvent({ kind: 'forward-unkept', target: address, since, reason: written.reason })
    if (isWritten && !isWritable) onEvent({ kind: 'forward-kept-again', target: address })
    isWritable = isWritten
  }
  return {
    sender: createTargetSender(target, options),
    stored: { key: getTargetKey(target), type: target.type ?? null, address } satisfies StoredTarget,
    /** Returns true if an event may wait; otherwise reports and counts it. */
    admits(event: ArrivedEvent) {
      if (waiting + event.size <= maxWaiting) return true
      drop(event, 'full')
      return false
    },
    /** An event to be sent or done with; undefined where it is neither on disk nor in memory, which is reported and counted. */
    queued(event: ArrivedEvent, written: Written, number: number): QueuedEvent | undefined {
      const { callId, type, at, shared, size } = event
      noteWritten(written, at)
      const entry = 'entry' in written ? written.entry : undefined
      if (entry === undefined && shared.read() === undefined) return void drop(event, 'disk')
      // A queue that stays near its bound is full again and again; that is reported once.
      isDropping &&= entry === undefined ? memory.isHalfFull : waiting > maxWaiting / 2
      waiting += size
      const leave = () => {
        waiting -= size
        shared.release()
      }
      return {
        callId,
        type,
        at,
        isStored: entry !== undefined,
        isTaken: () => entry !== undefined && (entry.isTaken ?? isTaken)(),
        load() {
          const body = shared.read() ?? (entry === undefined ? undefined : readEntryBody(entry))
          if (body === undefined) throw new Error('the event is done with')
          return body
        },
        done() {
          entry?.done(number)
          leave()
        },
        leave,
      }
    },
    /** Events that had no room. */
    get dropped() {
      return dropped
    },
  }
}

/** Throws as `LogEntry.read`. */
export function readEntryBody(entry: LogEntry): Body {
  const recordedEvent = entry.read()
  const { headers } = recordedEvent
  return {
    body: recordedBytes(recordedEvent),
    ...contentHeaders(headers),
    envelope: envelopeOf(recordedEvent),
  }
}
