import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { atMost } from '../../lib/async/timer.ts'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError, reasonOf } from '../../lib/error.ts'
import type { FileLock } from '../../lib/fs/file-lock.ts'
import type { Disk } from '../../lib/fs/line-file.ts'
import type { ReadEvent } from '../receive/read-event.ts'
import type { ReceivedDelivery } from '../receive/receiver.ts'
import {
  type ForwardEvent,
  type ForwardTarget,
  type ForwardTotals,
  keyOf,
  targetsOf,
} from './forward-event.ts'
import { createMemory } from './memory.ts'
import { lockRun, openLeftovers, type PendingEvents } from './pending.ts'
import { createTargetQueue, leftParcel } from './target-queue.ts'
import type { TargetSender } from './target-sender.ts'

export interface ForwarderOptions {
  readonly targets: readonly ForwardTarget[]
  /** Where events wait; made where it is missing. Absolute. */
  readonly folder: string
  /** Only events that carried something unseen go out. */
  readonly onlyNew: boolean
  /** Delivers first what earlier processes left for these targets. */
  readonly resume: boolean
  /** Milliseconds for one attempt. */
  readonly timeout: number
  /** How often an event is tried again that got no answer, or 5xx, 408 or 429; 0 unless told. */
  readonly retries?: number
  /** Bytes of bodies that wait in memory too, so that they need not be read back; 32 MiB unless told. */
  readonly maxMemory?: number
  /** Bytes of events that may wait for each target; 512 MiB unless told. */
  readonly maxWaiting?: number
  readonly clock: Clock
  /** Told what a person should know, at once. Must not throw. */
  onEvent(news: ForwardEvent): void
  readonly disk?: Disk | undefined
}

export interface Forwarder {
  /**
   * Queues what earlier processes left, if it resumes, and after that what arrived up to now; once. Until then nothing is
   * sent, so that one which cannot do its work after all leaves everything as it was.
   */
  start(): void
  /** Writes an event down before its sender is answered, so that a kill does not lose it. Never throws. */
  keep(event: ReadEvent, delivery: ReceivedDelivery): KeptEvent
  /** Events that wait for a target, or are on their way. */
  readonly left: number
  /**
   * Delivers what waits for so many milliseconds at most; a target that takes no connections is tried at once. What is
   * undelivered then stays in the folder. Never rejects.
   */
  close(milliseconds: number): Promise<ForwardTotals>
}

/** An event that was written down. */
export interface KeptEvent {
  /** Queues it for its targets; `isNew` tells whether it carried something unseen. Never throws. */
  send(isNew: boolean): void
}

/**
 * Passes events on to other receivers (interface.md 4.8), body and content type untouched: those of one call to one target
 * one after the other in their order, calls side by side, targets apart. Each event is on disk before it is acknowledged and
 * until each of its targets answered. A refused connection is tried again, because then nothing was sent; anything else only as
 * often as `retries` says.
 * @throws CliError `usage` when the folder cannot be used.
 */
export async function openForwarder(options: ForwarderOptions): Promise<Forwarder> {
  const { folder, clock } = options
  // Its order is the order of time, also between processes.
  const name = `${new Date(clock.now()).toISOString().replace(/[-:.]/g, '')}-${randomUUID().slice(0, 8)}`
  const path = join(folder, name)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const lock = await lockRun(path, clock)
    try {
      const pending = await takeLeftovers(options)
      return createForwarder({ path, lock, pending }, options)
    } catch (error) {
      await lock.release()
      throw error
    }
  } catch (error) {
    if (error instanceof CallwrightError) throw error
    throw new CallwrightError('usage', `events cannot be kept in ${folder}: ${reasonOf(error)}`, {
      hint: 'check the folder, its permissions and the free space',
      cause: error,
    })
  }
}

/** What earlier processes left, told; undefined where it is not to be delivered. */
async function takeLeftovers({ targets, folder, resume, clock, disk, onEvent }: ForwarderOptions) {
  const keys = new Set(targets.map(keyOf))
  const pending = await openLeftovers({ folder, targets: keys, clock, disk })
  for (const { target, events } of pending.waiting) {
    const resumed = resume && keys.has(target.key)
    onEvent({ kind: 'forward-left', target: target.address, type: target.type, events, resumed })
  }
  for (const path of pending.unreadable) onEvent({ kind: 'forward-unreadable', path })
  if (resume) return pending
  await pending.close()
  return undefined
}

interface Run {
  /** What the names of its files begin with. */
  readonly path: string
  readonly lock: FileLock
  readonly pending: PendingEvents | undefined
}

function createForwarder({ path, lock, pending }: Run, options: ForwarderOptions): Forwarder {
  const { targets, onlyNew, retries = 0, clock, onEvent } = options
  const { maxMemory = 32 * 1024 ** 2, maxWaiting = 512 * 1024 ** 2 } = options
  const memory = createMemory(maxMemory)
  let files = 0
  // Of all targets, so that their order is that of time.
  const nextPath = () => `${path}.${++files}.ndjson`
  let isTakenTold = false
  const isTaken = (lost: () => boolean) => {
    if (!lost()) return false
    if (!isTakenTold) onEvent({ kind: 'forward-taken' })
    isTakenTold = true
    return true
  }
  const queues = targets.map(target =>
    createTargetQueue(target, {
      ...options,
      retries,
      maxWaiting,
      memory,
      nextPath,
      isTaken: () => isTaken(lock.isLost),
    }),
  )
  const routes = queues.map(({ route }) => route)
  let closed: Promise<ForwardTotals> | undefined
  /** What arrived before the start, to be sent after what was left. */
  let held: (() => void)[] | undefined = []

  return {
    start() {
      for (const event of pending?.events ?? []) {
        const route = routes.find(({ key }) => key === event.target)
        route?.send(leftParcel(event, () => isTaken(event.lost)))
      }
      const arrived = held ?? []
      held = undefined
      for (const send of arrived) send()
    },
    keep({ type, callId }, { body, headers }) {
      const wanted = targetsOf(type, queues)
      if (wanted.length === 0) return nothing
      const at = new Date(clock.now()).toISOString()
      const contentType = headers['content-type'] ?? 'application/json'
      const size = body.length + overhead
      const arrived = {
        callId,
        type,
        at,
        recorded: { at, headers: { 'content-type': contentType }, body: body.toString('utf8') },
        shared: memory.share({ body, contentType }, size, wanted.length),
        size,
      }
      const kept = wanted.map(({ route, keep }) => ({ route, parcel: keep(arrived) }))
      return {
        send(isNew) {
          for (const { route, parcel } of kept) {
            if (parcel === undefined) continue
            if (onlyNew && !isNew) parcel.done()
            else if (held === undefined) route.send(parcel)
            else held.push(() => route.send(parcel))
          }
        },
      }
    },
    get left() {
      return sum(routes.map(route => route.left))
    },
    close(milliseconds) {
      closed ??= end(milliseconds)
      return closed
    },
  }

  async function end(milliseconds: number): Promise<ForwardTotals> {
    await drain(routes, milliseconds, clock)
    for (const queue of queues) queue.close()
    await pending?.close()
    await lock.release()
    return {
      targets: routes.map(route => route.totals()),
      dropped: sum(queues.map(queue => queue.dropped)),
      unwritten: sum(queues.map(queue => queue.unwritten)) + (pending?.unwritten ?? 0),
    }
  }
}

const nothing: KeptEvent = { send() {} }
/** Estimated bytes of what is kept in memory of each event. */
const overhead = 500

/** Gives the routes so much time, and then none. */
async function drain(routes: readonly TargetSender[], milliseconds: number, clock: Clock): Promise<void> {
  for (const route of routes) route.hurry()
  const ended = Promise.all(routes.map(route => route.empty()))
  await atMost(milliseconds, ended, clock)
  for (const route of routes) route.abort()
  await ended
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
