import type { StreamInfo } from '@nats-io/jetstream'
import { CallyardError } from '../lib/error.ts'
import { createDeferred } from '../lib/queue.ts'
import { openBucket } from './bucket.ts'
import { type OpenedConnection, untilElected } from './connection.ts'
import { createDeliverer, type DelivererOptions } from './deliver.ts'
import { leaseMs, takeLease } from './lease.ts'
import { createPartitionReaders } from './partition-readers.ts'
import { createRebalancing } from './rebalancing.ts'
import { isRefusal } from './rejections.ts'
import type { StartPoint, StreamState } from './resolve-position.ts'
import { requireStream } from './stream.ts'

export interface SessionOptions extends DelivererOptions {
  readonly stream: string
  readonly name: string
  /** Id of this process. */
  readonly member: string
  readonly isShared: boolean
  /** True if this process had a session before. */
  readonly isReconnected: boolean
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
/** A cluster elects a leader meanwhile. */
const refusedWithinMs = 12_000

export type ReaderBuckets = Awaited<ReturnType<typeof openBuckets>>

/** Opens the buckets of a stream: the positions of each name, and the leases of the processes that read. */
export async function openBuckets({ connection, timeoutMs }: OpenedConnection, { config }: StreamInfo) {
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
 * @throws CallyardError as requireStream, openBuckets and takeLease do
 */
export async function openReadingSession(connection: OpenedConnection, options: SessionOptions) {
  const { stream, heldPartitions, sink, clock, monotonicMs } = options
  const { jsm, timeoutMs } = connection
  const streamInfo = await untilElected(connection.connection, timeoutMs, manager =>
    requireStream(manager, stream, connection.cluster.length),
  )
  const { positions, leases } = await openBuckets(connection, streamInfo)
  const stopping = new AbortController()
  const { signal } = stopping
  const lease = await takeLease({ ...options, bucket: leases, signal })
  /** Events from now on are new. */
  const endOfStream = streamInfo.state.last_seq + 1
  if (options.start !== undefined && !(await lease.isAlone())) {
    await lease.leave()
    throw new CallyardError('conflict', `other tails are reading as ${options.name}`, {
      code: 'positions-in-use',
      hint: 'stop them before you choose where to start, or read under another name',
      details: { name: options.name },
    })
  }
  // Events after the last one were lost with the brokers, and their sequences are used again.
  const isReadable = (created: string, unread: number) =>
    created === streamInfo.created && unread <= endOfStream
  await heldPartitions.verify(positions, isReadable)
  heldPartitions.confirm(lease.isValid)

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
  const readers = createPartitionReaders({ connection, stream, heldPartitions, signal, deliver, run })
  let isClosing = false

  const readState = async (): Promise<StreamState> => {
    const { created, state } = await requireStream(jsm, stream)
    return { created, first: state.first_seq, last: state.last_seq }
  }
  const rebalance = createRebalancing({
    ...{ ...options, jsm, positions, lease, readers, readState, endOfStream, signal, run },
    isClosing: () => isClosing,
  })
  const look = async () => {
    const state = await readState()
    if (state.created !== streamInfo.created) throw new Error('the stream was created again')
    const missed = await readers.look(state)
    if (missed !== undefined) sink.onEvent({ kind: 'gap', ...missed, to: state.first - 1 })
  }
  every(renewEveryMs, async () => {
    if (!(await lease.renew())) throw new Error('the lease ended')
    heldPartitions.confirm(lease.isValid)
  })
  every(rebalanceEveryMs, rebalance)
  every(commitEveryMs, async () => {
    await heldPartitions.commit(positions)
    savedAt = monotonicMs()
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
      await Promise.all(
        heldPartitions.all().map(({ partition }) => heldPartitions.release(positions, partition)),
      )
      await lease.leave()
      await end()
    },
  }
}
