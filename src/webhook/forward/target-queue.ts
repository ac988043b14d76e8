import { reasonOf } from '../../lib/error.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import type { RecordedEvent } from '../log/recorded-event.ts'
import { type ForwardTarget, keyOf } from './forward-event.ts'
import { createJournal, type JournalEntry, type JournalOptions } from './journal.ts'
import type { Body, Memory, SharedBody } from './memory.ts'
import type { LeftEvent } from './pending.ts'
import {
  createRoute,
  type QueuedEvent,
  type TargetSender,
  type TargetSenderOptions,
} from './target-sender.ts'

/** An event that was just accepted. */
export interface ArrivedEvent extends Pick<QueuedEvent, 'callId' | 'type' | 'at'> {
  /** What is written of it. */
  readonly recorded: Pick<RecordedEvent, 'at' | 'headers' | 'body'>
  readonly shared: SharedBody
  /** Bytes that it counts for while it waits. */
  readonly size: number
}

/** All that is for one target: the events that wait for it, and the way to it. */
export interface TargetQueue {
  readonly route: TargetSender
  /** Of the events that it gets; undefined for all. */
  readonly type: string | undefined
  /** Writes an event down, to be sent or done with; undefined where it has no room, which is told and counted. Never throws. */
  keep(event: ArrivedEvent): QueuedEvent | undefined
  /** Events that had no room. */
  readonly dropped: number
  /** As of a journal, and so is `close`. */
  readonly unwritten: number
  close(): void
}

interface TargetQueueOptions extends TargetSenderOptions, Omit<JournalOptions, 'target'> {
  readonly memory: Memory
  /** Bytes of events that may wait. */
  readonly maxWaiting: number
}

export function createTargetQueue(target: ForwardTarget, options: TargetQueueOptions): TargetQueue {
  const { memory, maxWaiting, isTaken, onEvent } = options
  const address = withoutQuery(target.url)
  const route = createRoute(target, options)
  const journal = createJournal({
    ...options,
    target: { key: keyOf(target), type: target.type ?? null, address },
  })
  let waiting = 0
  let dropped = 0
  let dropping = false
  let writable = true

  const write = (recorded: ArrivedEvent['recorded']): JournalEntry | undefined => {
    try {
      const entry = journal.add(recorded)
      if (!writable) onEvent({ kind: 'forward-kept-again', target: address })
      writable = true
      return entry
    } catch (error) {
      const reason = reasonOf(error)
      if (writable) onEvent({ kind: 'forward-unkept', target: address, since: recorded.at, reason })
      writable = false
      return undefined
    }
  }
  const drop = ({ at, shared }: ArrivedEvent, why: 'full' | 'disk') => {
    shared.release()
    dropped++
    if (!dropping) onEvent({ kind: 'forward-dropped', target: address, since: at, why })
    dropping = true
    return undefined
  }
  return {
    route,
    type: target.type,
    keep(event) {
      const { callId, type, at, recorded, shared, size } = event
      if (waiting + size > maxWaiting) return drop(event, 'full')
      const entry = write(recorded)
      if (entry === undefined && shared.read() === undefined) return drop(event, 'disk')
      // A queue that stays near its bound is full again and again; that is told once.
      dropping &&= entry === undefined ? memory.isHalfFull : waiting > maxWaiting / 2
      waiting += size
      const leave = () => {
        waiting -= size
        shared.release()
      }
      return {
        callId,
        type,
        at,
        kept: entry !== undefined,
        isTaken: () => entry !== undefined && isTaken(),
        load() {
          const body = shared.read() ?? (entry === undefined ? undefined : loaded(entry))
          if (body === undefined) throw new Error('nothing is to be sent of it any more')
          return body
        },
        done() {
          entry?.done()
          leave()
        },
        leave,
      }
    },
    get dropped() {
      return dropped
    },
    get unwritten() {
      return journal.unwritten
    },
    close: journal.close,
  }
}

/** An event that an earlier process left, on its way again. */
export function leftParcel({ entry, callId, type, at }: LeftEvent, isTaken: () => boolean): QueuedEvent {
  return {
    callId,
    type,
    at,
    kept: true,
    isTaken,
    load: () => loaded(entry),
    done: entry.done,
    leave() {},
  }
}

function loaded(entry: JournalEntry): Body {
  const { headers, body } = entry.read()
  return { body: Buffer.from(body), contentType: headers['content-type'] ?? 'application/json' }
}
