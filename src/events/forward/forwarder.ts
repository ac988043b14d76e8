import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { atMost } from '../../lib/clock.ts'
import { CallyardError, describeFileError, getErrorReason } from '../../lib/error.ts'
import type { FileLock } from '../../lib/fs/file-lock.ts'
import type { Disk } from '../../lib/fs/line-file.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import type { ReadEvent, ReceivedDelivery } from '../conversation/index.ts'
import { recordBody } from '../recordings/index.ts'
import { type Claim, claimedEntry, splitClaim } from './claim.ts'
import type { OnDelivery } from './delivery.ts'
import { envelopeOf } from './envelope.ts'
import { eventsNotKept } from './errors.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import {
  type ForwardEvent,
  type ForwardTarget,
  type ForwardTotals,
  getTargetKey,
  selectTargets,
} from './forward-event.ts'
import { contentHeaders } from './post-event.ts'
import { lockRun, recoverEvents } from './recover-events.ts'
import { startSendingThread } from './sending-thread.ts'
import {
  type ArrivedEvent,
  createBodyMemory,
  createTargetQueue,
  type TargetQueue,
  type Written,
} from './target-queue.ts'
import type { QueuedEvent } from './target-sender.ts'

export interface ForwarderOptions {
  readonly targets: readonly ForwardTarget[]
  /** Absolute path of the queue folder; created if missing. Undefined if every event has a claim. */
  readonly folder: string | undefined
  /** Only events that carried something unseen go out. */
  readonly onlyNew: boolean
  /** Delivers first what earlier processes left for these targets. */
  readonly resume: boolean
  /** False to send only the body with its content type; default: the headers and the query pass too. */
  readonly passHeaders?: boolean | undefined
  /** Header that the listener checks, which does not pass. */
  readonly secretHeader?: string | undefined
  /** Milliseconds for one attempt. */
  readonly timeout: number
  /** Retries of an event without a response, or with 5xx, 408 or 429. Default: 0. */
  readonly retries?: number | undefined
  /** Bytes of bodies that wait in memory too, so that they need not be read back; default: 32 MiB. */
  readonly maxMemory?: number
  /** Bytes of events that may wait for each target; default: 512 MiB. */
  readonly maxWaiting?: number
  readonly clock: Clock
  /** Called at once with what a person should know. Must not throw. */
  onEvent(news: ForwardEvent): void
  readonly disk?: Disk | undefined
}

export type Forwarder = Awaited<ReturnType<typeof openForwarder>>

/**
 * Forwards events to other receivers (interface.md 4.8) with unchanged body, headers and query: in order per call and target, calls in
 * parallel, targets independent. Each event is on disk from before it is acknowledged until all its targets have responded, unless its
 * source keeps it. Refused connections are always retried, because nothing was sent; other failures at most `retries` times.
 * @throws CallyardError `usage` when the folder cannot be used.
 */
export async function openForwarder(options: ForwarderOptions) {
  const { targets, folder, onlyNew, retries = 0, passHeaders = true, secretHeader, clock, disk } = options
  // A source bounds what is claimed.
  const isClaimed = folder === undefined
  const { maxMemory = isClaimed ? Infinity : 32 * 1024 ** 2 } = options
  const { maxWaiting = isClaimed ? Infinity : 512 * 1024 ** 2 } = options
  // Its order is the order of time, also between processes.
  const name = `${new Date(clock.now()).toISOString().replace(/[-:.]/g, '')}-${randomUUID().slice(0, 8)}`
  const path = join(folder ?? '', name)
  const run = folder === undefined ? undefined : await openRun(path, { ...options, folder })
  const thread = await startSendingThread()
  const isOursTaken = () => run?.isTaken(run.lock) === true
  const memory = createBodyMemory(maxMemory)
  const queues = targets.map(target =>
    createTargetQueue(target, { ...options, retries, maxWaiting, memory, thread, isTaken: isOursTaken }),
  )
  const senders = queues.map(({ sender }) => sender)
  const indexOf = (sender: TargetQueue['sender']) => senders.indexOf(sender)
  const reportQueued = (
    targetGroups: readonly TargetGroup[],
    queuedEvents: readonly TargetEvent[],
    isSkipped: boolean,
    onDelivery: OnDelivery,
  ) => {
    for (const { sender } of targetGroups.flatMap(group => group.queues)) {
      const isKept = queuedEvents.some(queuedEvent => queuedEvent.sender === sender)
      onDelivery(indexOf(sender), { state: isKept ? (isSkipped ? 'skipped' : 'waiting') : 'dropped' })
    }
  }
  let files = 0
  // Of all logs, so that their order is that of time.
  const nextPath = () => `${path}.${++files}.ndjson`
  // What waits for a target holds nothing on disk but events that it gets: targets of another type have another log.
  const groups = [...new Set(targets.map(({ type }) => type))].map(type => {
    const ofType = queues.filter((_, index) => targets[index]?.type === type)
    const stored = ofType.map(queue => queue.stored)
    return {
      type,
      queues: ofType,
      log: createEventLog({ targets: stored, nextPath, isTaken: isOursTaken, disk }),
    }
  })
  /** Events that arrived before the start, sent after those of earlier runs. */
  let backlog: (() => void)[] | undefined = []

  const close = async (milliseconds: number): Promise<ForwardTotals> => {
    for (const sender of senders) sender.hurry()
    const ended = Promise.all(senders.map(sender => sender.empty()))
    await atMost(milliseconds, ended, clock)
    for (const sender of senders) sender.abort()
    await thread.close()
    await ended
    for (const { log } of groups) log.close()
    await run?.pending?.close()
    await run?.lock.release()
    return {
      targets: senders.map(sender => sender.totals()),
      dropped: sum(queues.map(queue => queue.dropped)),
      unwritten: sum(groups.map(({ log }) => log.unwritten)) + (run?.pending?.unwritten ?? 0),
    }
  }
  let closed: Promise<ForwardTotals> | undefined
  return {
    /**
     * Queues what earlier processes left, if it resumes, and after that what arrived up to now; once. Until then nothing is
     * sent: a forwarder whose listener cannot start leaves everything as it was.
     */
    start() {
      for (const { target, queued } of run?.pending?.events ?? [])
        senders.find(({ key }) => key === target)?.send(queued)
      const waitingSends = backlog ?? []
      backlog = undefined
      for (const send of waitingSends) send()
    },
    /**
     * Persists an event before the response is sent, so that a kill does not lose it; a claim is done when all targets have responded.
     * `send` queues it for its targets; `isNew` means that it has new content. `onDelivery` is called with each state of its
     * deliveries. A body with several events is sent unchanged to each target of one of them. Neither function throws.
     */
    store(events: readonly ReadEvent[], delivery: ReceivedDelivery, claim?: Claim) {
      const { body, headers } = delivery
      const content = contentHeaders(headers)
      const { contentType, contentEncoding } = content
      const ownHeaders = {
        'content-type': contentType,
        ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
      }
      const { received, query } = passHeaders
        ? envelopeOf(delivery, secretHeader)
        : { received: {}, query: undefined }
      const envelope = { received: { ...received, ...ownHeaders }, query }
      const matchingGroups = groups.filter(group =>
        events.some(({ type }) => selectTargets(type, [group]).length > 0),
      )
      const count = sum(matchingGroups.map(group => group.queues.length))
      const [first] = events
      if (count === 0 || first === undefined) {
        claim?.done()
        return { send() {} }
      }
      const { callId, type } = first
      const { at = new Date(clock.now()).toISOString() } = delivery
      const size = body.length + overhead
      const arrivedEvent = {
        callId,
        type,
        at,
        newEvent: {
          at,
          headers: envelope.received,
          ...(query !== undefined && { query }),
          ...recordBody(body),
        },
        shared: memory.share({ body, ...content, envelope }, size, count),
        size,
      }
      const ofTarget = claim && splitClaim(claim, count)
      const queuedEvents = matchingGroups.flatMap(group => keepFor(group, arrivedEvent, ofTarget))
      return {
        send(isNew: boolean, onDelivery?: OnDelivery) {
          if (onDelivery !== undefined)
            reportQueued(matchingGroups, queuedEvents, onlyNew && !isNew, onDelivery)
          for (const { sender, queued: plain } of queuedEvents) {
            const queued = onDelivery === undefined ? plain : reporting(plain, indexOf(sender), onDelivery)
            if (onlyNew && !isNew) queued.done()
            else if (backlog === undefined) sender.send(queued)
            else backlog.push(() => sender.send(queued))
          }
        },
      }
    },
    /** Events that wait for a target, or are on their way. */
    get left(): number {
      return sum(senders.map(sender => sender.left))
    },
    /**
     * Delivers waiting events for up to this many milliseconds, starting immediately with targets that refused connections. Undelivered
     * events stay in the folder. Never rejects.
     */
    close(milliseconds: number) {
      closed ??= close(milliseconds)
      return closed
    },
  }
}

function reporting(queued: QueuedEvent, target: number, onDelivery: OnDelivery): QueuedEvent {
  return { ...queued, onDelivery: delivery => onDelivery(target, delivery) }
}

type RunOptions = ForwarderOptions & { readonly folder: string }

/** Takes the lock of the files that begin with this path, and what earlier processes left. */
async function openRun(path: string, options: RunOptions) {
  const { folder, clock } = options
  try {
    await makeFolder(folder, 0o700)
    const lock = await lockRun(path, clock)
    try {
      const isTaken = lossReporter(options)
      return { lock, pending: await takePending(options, isTaken), isTaken }
    } catch (error) {
      await lock.release()
      throw error
    }
  } catch (error) {
    if (error instanceof CallyardError) throw error
    throw eventsNotKept(folder, describeFileError(error), error)
  }
}

/** Returns a predicate: true if a lock and its files were lost. Reports the first loss. */
function lossReporter({ onEvent }: ForwarderOptions): (lock: FileLock) => boolean {
  let isReported = false
  return lock => {
    if (!lock.isLost()) return false
    if (!isReported) onEvent({ kind: 'forward-taken' })
    isReported = true
    return true
  }
}

/** Reports what earlier processes left; undefined where it is not to be delivered. */
async function takePending(
  { targets, folder, resume, clock, disk, onEvent }: RunOptions,
  isTaken: (lock: FileLock) => boolean,
) {
  const keys = new Set(targets.map(getTargetKey))
  const pending = await recoverEvents({ folder, targets: keys, clock, disk, isTaken })
  for (const { target, events } of pending.waiting) {
    const resumed = resume && keys.has(target.key)
    onEvent({ kind: 'forward-left', target: target.address, type: target.type, events, resumed })
  }
  for (const path of pending.unreadable) onEvent({ kind: 'forward-unreadable', path })
  if (resume) return pending
  await pending.close()
  return undefined
}

/** Targets that get the same events, and their log. */
interface TargetGroup {
  readonly queues: readonly TargetQueue[]
  readonly log: EventLog
}

interface TargetEvent {
  readonly sender: TargetQueue['sender']
  readonly queued: QueuedEvent
}

/** Writes an event once for all targets of a group that have room for it, unless it is claimed. */
function keepFor({ queues, log }: TargetGroup, event: ArrivedEvent, claim: Claim | undefined): TargetEvent[] {
  const admitting = new Set(queues.filter(queue => queue.admits(event)))
  if (admitting.size === 0) return []
  const result = claim === undefined ? write(log, event) : { entry: claimedEntry(claim) }
  return queues.flatMap((queue, number) => {
    if (!admitting.has(queue)) {
      if ('entry' in result) result.entry.done(number)
      return []
    }
    const queued = queue.queued(event, result, number)
    return queued === undefined ? [] : [{ sender: queue.sender, queued }]
  })
}

function write(log: EventLog, { newEvent }: ArrivedEvent): Written {
  try {
    return { entry: log.add(newEvent) }
  } catch (error) {
    return { reason: getErrorReason(error) }
  }
}

/** Estimated bytes in memory per event. */
const overhead = 500

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
