import type { StreamInfo } from '@nats-io/jetstream'
import { createDeferred } from '../lib/queue.ts'
import { assignPartitions } from './assignment.ts'
import { openBucket } from './bucket.ts'
import { type OpenedConnection, untilElected } from './connection.ts'
import { createDeliverer, type DelivererOptions } from './deliver.ts'
import { relayError } from './errors.ts'
import type { StoredEntry } from './held-partitions.ts'
import { leaseMs, takeLease } from './lease.ts'
import { createPartitionReaders } from './partition-readers.ts'
import type { ReaderPosition } from './position.ts'
import { isRefusal } from './refusals.ts'
import { resolvePosition, type StreamState } from './resolve-position.ts'
import { requireStream } from './stream.ts'
import { nextMessage, sequenceAt } from './stream-reader.ts'
import { subjectFilter } from './subjects.ts'

/** Start of a name that has no position, or is to get another one: events stored from now on, or from a time on. */
export type StartPoint = { readonly kind: 'new' } | { readonly kind: 'since'; readonly at: number }

export interface SessionOptions extends DelivererOptions {
  readonly stream: string
  readonly name: string
  /** Id of this process. */
  readonly member: string
  readonly isShared: boolean
  /** Replaces the positions of the name. Default: continue there, or at the end of the stream for a new name. */
  readonly start: StartPoint | undefined
  readonly monotonicMs: () => number
}

export type ReadingSession = Awaited<ReturnType<typeof openReadingSession>>

export const renewEveryMs = 1000
/** Half of a renewal: a dead member is missed in two looks. */
export const rebalanceEveryMs = 500
const commitEveryMs = 200
/** Nothing is taken while positions cannot be saved for longer. */
const maxUnsavedMs = 1000
const lookEveryMs = 5000
/** Time and number of events before a position that are read again. A call without an event in them is printed from its start. */
const historyMs = 15 * 60_000
const maxHistory = 50_000
/** A cluster elects a leader meanwhile. */
const refusedWithinMs = 12_000
const releasePollMs = 20
const releaseWithinMs = 10_000

/** Opens the buckets of a stream: the positions of each name, and the leases of the processes that read. */
export async function openBuckets(
  { connection, timeoutMs }: Pick<OpenedConnection, 'connection' | 'timeoutMs'>,
  { config }: Pick<StreamInfo, 'config'>,
) {
  const { name, num_replicas: replicas } = config
  const common = { replicas, timeoutMs }
  return {
    positions: await openBucket(connection, { ...common, name: `${name}-positions` }),
    leases: await openBucket(connection, { ...common, name: `${name}-leases`, ttlMs: leaseMs }),
  }
}

/**
 * Joins the readers of a name over a connection, and reads the partitions that are due to this process until the connection, the lease
 * or the stream fails. Partitions stay held after that.
 * @throws CallwrightError as requireStream, openBuckets and takeLease do
 */
export async function openReadingSession(connection: OpenedConnection, options: SessionOptions) {
  const { stream, member, isShared, held, sink, clock, monotonicMs } = options
  const { jsm } = connection
  const { timeoutMs } = connection
  const opened = await untilElected(connection.connection, timeoutMs, each =>
    requireStream(each, stream, connection.cluster.length),
  )
  const { positions, leases } = await openBuckets(connection, opened)
  const stopping = new AbortController()
  const { signal } = stopping
  const lease = await takeLease({ ...options, bucket: leases, signal })
  /** Events from now on are new. */
  const endOfStream = opened.state.last_seq + 1
  let { start } = options
  if (start !== undefined && !(await lease.isAlone())) {
    await lease.leave()
    throw relayError('conflict', 'positions-in-use', { name: options.name })
  }
  // Events after the last one were lost with the brokers, and their sequences are used again.
  const isReadable = (created: string, unread: number) => created === opened.created && unread <= endOfStream
  await held.verify(positions, isReadable)
  held.confirm(lease.isValid)

  let failure: { readonly error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
    stopping.abort()
  }
  const tasks = new Set<Promise<void>>()
  const run = (work: () => Promise<void>) => {
    const task: Promise<void> = work()
      .catch(error => {
        if (!signal.aborted) fail(error)
      })
      .finally(() => tasks.delete(task))
    tasks.add(task)
  }
  /** Repeats work, also after a server has refused it for a while: others can still do it. */
  const every = (milliseconds: number, work: () => Promise<unknown>) =>
    run(async () => {
      let workedAt = monotonicMs()
      while (!signal.aborted) {
        try {
          await work()
          workedAt = monotonicMs()
        } catch (error) {
          if (!isRefusal(error) || monotonicMs() - workedAt > refusedWithinMs) throw error
        }
        await clock.sleep(milliseconds, signal).catch(() => undefined)
      }
    })
  let savedAt = monotonicMs()
  const isSaved = () => monotonicMs() - savedAt < maxUnsavedMs
  const deliver = createDeliverer({ ...options, signal, isValid: lease.isValid, isSaved })
  const readers = createPartitionReaders({ connection, stream, held, signal, deliver, run })
  let isClosing = false

  const readState = async (): Promise<StreamState> => {
    const { created, state } = await requireStream(jsm, stream)
    return { created, first: state.first_seq, last: state.last_seq }
  }
  /** Returns the first sequence whose call may still be in progress, to remember what earlier tails printed of it. */
  const findHistory = async (all: readonly ReaderPosition[], { first }: StreamState) => {
    const known = all.filter(({ start, next, done }) => start < next || done.length > 0)
    const next = Math.min(...known.map(each => each.next))
    if (known.length === 0) return next
    const begin = Math.max(first, next - maxHistory, Math.min(...known.map(({ start }) => start)))
    const message = await nextMessage(jsm, { stream, subject: subjectFilter(stream), from: next })
    const at = message === undefined ? clock.now() : Date.parse(message.delivery.at)
    return Math.max(begin, Math.min(next, await sequenceAt(jsm, stream, at - historyMs)))
  }
  const claim = async (wanted: readonly string[], entries: ReadonlyMap<string, StoredEntry>) => {
    const state = await readState()
    const given = start && (start.kind === 'new' ? endOfStream : await sequenceAt(jsm, stream, start.at))
    start = undefined
    // A new partition of a known name begins where the others did.
    const begins = [...entries.values()].flatMap(({ entry }) => entry?.start ?? [])
    const begin = given ?? Math.min(endOfStream, ...begins)
    const resolved = wanted.map(partition => {
      const { entry, revision } = entries.get(partition) ?? { entry: undefined, revision: 0 }
      return {
        partition,
        revision,
        ...resolvePosition(given === undefined ? entry : undefined, begin, state),
      }
    })
    const readFrom = await findHistory(
      resolved.map(({ position }) => position),
      state,
    )
    await Promise.all(
      resolved.map(each =>
        held.claim(positions, each.partition, { ...each, readFrom, stream: state.created }),
      ),
    )
    if (resolved.some(({ isReplaced }) => isReplaced)) sink.onEvent({ kind: 'stream-replaced', stream })
    const gaps = resolved.flatMap(({ gapFrom }) => gapFrom ?? [])
    if (gaps.length > 0)
      sink.onEvent({ kind: 'gap', from: Math.min(...gaps), to: state.first - 1, partitions: gaps.length })
  }
  const release = async (partition: string) => {
    const own = held.get(partition)
    if (own === undefined || own.isClosing) return
    own.isClosing = true
    for (let leftMs = releaseWithinMs; own.tracker.inFlight > 0 && leftMs > 0; leftMs -= releasePollMs)
      await clock.sleep(releasePollMs, signal)
    await held.release(positions, partition)
    await readers.adjust()
  }
  /** Members and held partitions when all had their share. */
  let settled = ''
  let reported = ''
  const rebalance = async () => {
    const members = await lease.members()
    if (members === undefined || isClosing) return
    const view = () => `${held.size} ${[...members].sort()}`
    if (view() === settled) return
    const entries = await held.readAll(positions)
    const owners = [...entries].map(([partition, { entry }]) => {
      return [partition, held.get(partition) === undefined ? (entry?.owner ?? undefined) : member] as const
    })
    const plan = assignPartitions(new Map(owners), members, member)
    // An earlier claim may have arrived although it got no response: nobody else claims these.
    const unread = owners.filter(
      ([partition, owner]) => owner === member && held.get(partition) === undefined,
    )
    const wanted = [...plan.claim, ...unread.map(([partition]) => partition)]
    if (wanted.length > 0) await claim(wanted, entries)
    for (const partition of plan.release) run(() => release(partition))
    await readers.adjust()
    settled = plan.isSettled && unread.length === 0 ? view() : ''
    const shown = `${held.size} ${members.size}`
    if (isShared && shown !== reported)
      sink.onEvent({ kind: 'partitions', held: held.size, tails: members.size })
    reported = shown
  }
  const look = async () => {
    const state = await readState()
    if (state.created !== opened.created) throw new Error('the stream was created again')
    const missed = await readers.look(state)
    if (missed !== undefined) sink.onEvent({ kind: 'gap', ...missed, to: state.first - 1 })
  }
  every(renewEveryMs, async () => {
    if (!(await lease.renew())) throw new Error('the lease ended')
    held.confirm(lease.isValid)
  })
  every(rebalanceEveryMs, rebalance)
  every(commitEveryMs, async () => {
    const startedAt = monotonicMs()
    await held.commit(positions)
    savedAt = startedAt
  })
  every(lookEveryMs, look)
  void connection.closed.then(error => fail(error ?? new Error('the connection was closed')))
  const ended = createDeferred()
  signal.addEventListener('abort', () => ended.resolve())

  const end = async () => {
    stopping.abort()
    await connection.close().catch(() => undefined)
    while (tasks.size > 0) await Promise.all(tasks)
  }
  return {
    connection,
    /** Resolves after a failure, with its error, when nothing of the session is in progress. */
    ended: ended.promise.then(async () => {
      await end()
      return failure?.error
    }),
    /** Takes nothing more; positions are still saved. */
    async stopReading() {
      isClosing = true
      // Positions of partitions without new events would be a gap for the next tail.
      await look()
      await readers.close()
    },
    /** After `stopReading`: leaves the partitions to others, and ends. */
    async leave() {
      await Promise.all(held.all().map(({ partition }) => held.release(positions, partition)))
      await lease.leave()
      await end()
    },
  }
}
