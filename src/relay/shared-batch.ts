import { createHash } from 'node:crypto'
import type { ReceivedDelivery } from '../events/conversation/index.ts'
import type { Clock } from '../lib/clock.ts'
import { CallyardError } from '../lib/error.ts'
import { lazy } from '../lib/lazy.ts'
import { createDeferred, createQueue } from '../lib/queue.ts'
import type { SharedEntry, SharedLog } from '../lib/shared-log.ts'
import { type BatchLog, type LogPosition, openBatchLog } from './batch-log.ts'
import { troubleReason } from './broker-error.ts'
import { type Bucket, openBucket } from './bucket.ts'
import { type ConnectionOptions, type OpenedConnection, openConnection } from './connection.ts'
import { batchLogLost } from './errors.ts'
import { requireStream } from './stream.ts'
import { readMessages, sequenceAt } from './stream-reader.ts'

export interface SharedBatchOptions extends Omit<ConnectionOptions, 'name'> {
  readonly batch: string
  /** `existing` is an error for a batch that nobody has run. */
  readonly mode: 'create' | 'existing'
  readonly clock: Clock
  /** Ends waits for the broker. */
  readonly signal: AbortSignal
  /** Called with the reason when the broker is away, and without one when it is back. */
  onTrouble(reason?: string): void
}

/** Opt-outs of all batches at a broker. */
interface OptOutBucket {
  /** True if one of these numbers has opted out; false if the signal ends the wait. */
  has(numbers: readonly string[]): Promise<boolean>
  add(optOut: {
    readonly numbers: readonly string[]
    readonly call: string | null
    readonly at: string
    readonly words: string
  }): Promise<void>
}

export interface SharedBatch {
  readonly log: SharedLog
  readonly optOuts: OptOutBucket
  /** Deliveries in the stream of a relay from a time on, across connections. Ends when the batch is closed. */
  events(stream: string, since: number): AsyncIterable<StreamedDelivery>
}

type StreamedDelivery = ReceivedDelivery & { readonly at: string }

interface Session {
  readonly connection: OpenedConnection
  readonly log: BatchLog
  readonly optOuts: () => Promise<Bucket>
  /** Ends the session; another one is opened. */
  fail(error: unknown): void
  readonly failed: Promise<unknown>
}

const optOutsName = 'callyard-opt-outs'
const firstPauseMs = 250
const maxPauseMs = 2000
const maxTimeoutMs = 5000
/** Connections until entries that are missing count as lost. */
const maxPatience = 30
/** A broker that starts may not have recovered its streams. */
const minTries = 4
const maxEventsAhead = 64

/**
 * Opens what the runners of a batch share at a broker, over one connection after another.
 * @throws CallyardError as openConnection and openBatchLog do
 */
export async function openSharedBatch(options: SharedBatchOptions): Promise<SharedBatch> {
  const { batch, clock, signal, onTrouble } = options
  const closing = new AbortController()
  const failure = createDeferred<never>()
  failure.promise.catch(() => undefined)
  const caughtUp = createDeferred()
  const sessions = new Set<(session: Session) => void>()
  /** Keys of numbers. */
  const optedOut = new Set<string>()
  let cluster: readonly string[] = []
  let position: LogPosition | undefined
  let session: Session | undefined
  let trouble = ''
  const following = createDeferred()
  let onEntry: (entry: SharedEntry) => void = () => undefined

  const connect = (tries: number) => {
    const timeoutMs = Math.min(options.timeoutMs, maxTimeoutMs)
    const servers = [...new Set([...options.servers, ...cluster])]
    const name = `callyard batch ${batch}`
    return openConnection({ ...options, servers, timeoutMs, name }, async (connection): Promise<Session> => {
      const isPatient = tries < maxPatience
      const mode = position === undefined ? options.mode : 'existing'
      const log = await openBatchLog(connection, {
        batch,
        mode,
        after: position,
        isPatient,
        timeoutMs,
        clock,
      })
      const { promise: failed, resolve: fail } = createDeferred<unknown>()
      void connection.closed.then(error => fail(error ?? new Error('the connection was closed')))
      const { replicas } = log
      cluster = connection.cluster
      return {
        ...{ connection, log, failed, fail },
        optOuts: lazy(async () => {
          const bucket = await openBucket(connection.connection, { name: optOutsName, replicas, timeoutMs })
          await bucket.watch(key => optedOut.add(key))
          return bucket
        }),
      }
    })
  }
  const read = async ({ log }: Session) => {
    const isRead = () => (position?.sequence ?? 0) >= log.last
    await following.promise
    if (isRead()) caughtUp.resolve()
    for await (const entry of log.entries()) {
      const { sequence, id } = entry
      if (sequence !== (position?.sequence ?? 0) + 1) throw batchLogLost(batch)
      position = { created: log.created, sequence, id }
      onEntry(entry)
      if (isRead()) caughtUp.resolve()
    }
  }
  const use = async (opened: Session) => {
    session = opened
    for (const onSession of sessions) onSession(opened)
    opened.log.watch(opened.fail)
    read(opened).catch(opened.fail)
    const error = await opened.failed
    session = undefined
    await opened.connection.close().catch(() => undefined)
    if (isFinal(error)) throw error
    trouble = troubleReason(error)
  }
  const reconnect = async (): Promise<Session | undefined> => {
    for (let tries = 0; !closing.signal.aborted; tries += 1) {
      try {
        return await connect(tries)
      } catch (error) {
        if (isFinal(error) && tries >= minTries) throw error
        trouble = troubleReason(error)
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** tries, maxPauseMs)
      await clock.sleep(pauseMs, closing.signal).catch(() => undefined)
    }
    return undefined
  }
  const work = async (first: Session) => {
    for (let next: Session | undefined = first; next !== undefined; next = await reconnect()) {
      if (next !== first) onTrouble()
      await use(next)
      if (closing.signal.aborted) return
      onTrouble(trouble)
    }
  }
  /** Repeats work over one session after another until it succeeds. */
  const retry = async <Value>(task: (session: Session) => Promise<Value>): Promise<Value> => {
    for (;;) {
      const current = session
      try {
        if (current !== undefined) {
          const failed = current.failed.then(error => Promise.reject(error))
          return await Promise.race([task(current), failed, failure.promise])
        }
      } catch (error) {
        if (error instanceof CallyardError) throw error
        current?.fail(error)
      }
      await Promise.race([clock.sleep(firstPauseMs, signal), failure.promise])
    }
  }

  const first = await connect(0)
  const working = work(first).catch(failure.reject)
  const close = lazy(async () => {
    closing.abort()
    const opened = session ?? first
    opened.fail(undefined)
    await opened.connection.close().catch(() => undefined)
    await working
  })
  return {
    log: {
      async append(entry) {
        const current = session
        if (current === undefined) throw new Error(trouble)
        try {
          return await current.log.append(entry)
        } catch (error) {
          if (!(error instanceof CallyardError)) current.fail(error)
          throw error
        }
      },
      async follow(listener) {
        onEntry = listener
        following.resolve()
        await Promise.race([caughtUp.promise, failure.promise])
      },
      clockAheadMs: first.log.clockAheadMs,
      failed: failure.promise,
      close,
    },
    optOuts: {
      async has(numbers) {
        const isListed = async ({ optOuts }: Session) => {
          await optOuts()
          return numbers.some(number => optedOut.has(keyOf(number)))
        }
        return retry(isListed).catch(error => {
          if (signal.aborted) return false
          throw error
        })
      },
      add: ({ numbers, call, at, words }) =>
        retry(async ({ optOuts }) => {
          const bucket = await optOuts()
          for (const number of numbers) await bucket.write(keyOf(number), { number, call, at, words }, 0)
        }),
    },
    async *events(stream, since) {
      const deliveries = createQueue<StreamedDelivery>()
      let next: number | undefined
      let lastAt = since
      const readEvents = async ({ connection: { connection, jsm } }: Session) => {
        const { state } = await requireStream(jsm, stream)
        // The brokers lost the last events, or the stream was created again: a repeated event changes nothing.
        if (next === undefined || next > state.last_seq + 1) next = await sequenceAt(jsm, stream, lastAt)
        const messages = readMessages(connection, { stream, from: next, maxAhead: maxEventsAhead })
        for await (const { sequence, delivery } of messages) {
          next = sequence + 1
          lastAt = Date.parse(delivery.at)
          deliveries.push(delivery, 0)
        }
      }
      const onSession = (opened: Session) => void readEvents(opened).catch(opened.fail)
      sessions.add(onSession)
      closing.signal.addEventListener('abort', () => deliveries.end(), { once: true })
      failure.promise.catch(() => deliveries.end())
      if (session !== undefined) onSession(session)
      yield* deliveries
      if (!closing.signal.aborted) await failure.promise
    },
  }
}

/** True for an error that another connection cannot repair. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof CallyardError)) return false
  return error.kind === 'conflict' || error.kind === 'usage' || error.code === 'stream-missing'
}

/** Keys appear in the broker's logs and monitoring: no phone number, and no character with a meaning. */
function keyOf(number: string): string {
  return createHash('sha256').update(number).digest('base64url')
}
