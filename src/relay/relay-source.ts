import { randomUUID } from 'node:crypto'
import type { EventSource, RunningSource, TailSink } from '../events/receive/index.ts'
import type { Clock } from '../lib/clock.ts'
import { CallyardError } from '../lib/error.ts'
import { lazy } from '../lib/lazy.ts'
import { troubleReason } from './broker-error.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import { createHeldPartitions } from './held-partitions.ts'
import { openReadingSession, type ReadingSession } from './reading-session.ts'
import { isRefusal } from './rejections.ts'
import type { StartPoint } from './resolve-position.ts'

export interface RelaySourceOptions extends Omit<ConnectionOptions, 'name'> {
  readonly stream: string
  /** Each name has positions of its own, and gets every event. */
  readonly name: string
  /** Divides the partitions among the processes of the name. */
  readonly isShared: boolean
  /** Replaces the positions of the name. Default: continue there, or at the end of the stream for a new name. */
  readonly start?: StartPoint | undefined
  readonly clock: Clock
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number
}

export interface RelayReader extends RunningSource {
  /** After `close`: saves which events are done, and leaves the rest to the next reader of the name. Never rejects. */
  finish(): Promise<void>
}

const firstPauseMs = 250
const maxPauseMs = 2000
/** A response takes longer only in trouble, after which another connection is faster than to wait. */
const maxTimeoutMs = 3000

/**
 * Reads the stream of a relay, over one connection after another: every event from the position of the name on, in order for each call.
 * Each event is claimed until it is done, and delivered again if this process dies before.
 */
export function readFromRelay(options: RelaySourceOptions): EventSource<RelayReader, TailSink> {
  return { start: sink => startReading(options, sink) }
}

async function startReading(options: RelaySourceOptions, sink: TailSink): Promise<RelayReader> {
  const { stream, name, isShared, clock, monotonicMs } = options
  const member = randomUUID()
  const heldPartitions = createHeldPartitions({ name, member })
  const closing = new AbortController()
  let cluster: readonly string[] = []
  let { start } = options
  let isReconnected = false
  const connect = async (timeoutMs: number) => {
    const servers = [...new Set([...options.servers, ...cluster])]
    const session = await openConnection(
      { ...options, servers, timeoutMs, name: `callyard tail ${name}` },
      connection =>
        openReadingSession(connection, {
          ...{
            stream,
            name,
            member,
            isShared,
            isReconnected,
            start,
            heldPartitions,
            sink,
            clock,
            monotonicMs,
          },
        }),
    )
    start = undefined
    isReconnected = true
    cluster = session.connection.cluster
    return session
  }
  const connectFirst = async () => {
    const until = monotonicMs() + options.timeoutMs
    for (;;) {
      try {
        return await connect(options.timeoutMs)
      } catch (error) {
        // A server whose disk is full refuses what others of its cluster do.
        const mayBeOther = error instanceof CallyardError && isRefusal(error.cause)
        if (!mayBeOther || monotonicMs() > until) throw error
        await clock.sleep(firstPauseMs)
      }
    }
  }
  let session: ReadingSession | undefined = await connectFirst()
  const address = `${session.connection.server.replace(/^(?!\w+:\/\/)/, 'nats://')}/${stream}`

  const reconnect = async (): Promise<ReadingSession | undefined> => {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await clock.sleep(pauseMs, closing.signal).catch(() => undefined)
      if (closing.signal.aborted) return undefined
      try {
        return await connect(Math.min(options.timeoutMs, maxTimeoutMs))
      } catch (error) {
        // Another tail has the name: nothing is read twice.
        if (error instanceof CallyardError && error.kind === 'conflict') throw error
      }
    }
  }
  const work = async () => {
    while (session !== undefined) {
      const error = await session.ended
      session = undefined
      if (closing.signal.aborted) return
      sink.onEvent({ kind: 'disconnected', reason: troubleReason(error) })
      session = await reconnect()
      if (session === undefined) return
      const { server, version } = session.connection
      sink.onEvent({ kind: 'connected', server, version })
    }
  }
  const ended = work().catch(error => {
    heldPartitions.close()
    sink.onFailed(error)
  })
  const close = lazy(async () => {
    heldPartitions.close()
    await session?.stopReading().catch(() => undefined)
  })
  return {
    address,
    close,
    finish: lazy(async () => {
      await close()
      closing.abort()
      await session?.leave().catch(() => undefined)
      await ended
    }),
  }
}
