import { randomUUID } from 'node:crypto'
import { defaultMaxBodyBytes } from '../events/conversation/index.ts'
import { cannotListen, type EventSource, type Receiver } from '../events/receive/index.ts'
import type { Secrecy } from '../events/recordings/index.ts'
import { atMost, type Clock } from '../lib/clock.ts'
import { CallyardError, getErrorReason } from '../lib/error.ts'
import { lazy } from '../lib/lazy.ts'
import { createQueue } from '../lib/queue.ts'
import { type Broker, type BrokerOptions, connectBroker } from './broker.ts'
import { troubleReason } from './broker-error.ts'
import { createRelayMetrics } from './metrics.ts'
import { streamEvent } from './preview-stream.ts'
import { type PublisherEvent, startPublisher } from './publisher.ts'
import type { RelayEvent } from './relay-event-schemas.ts'
import { readRelayState, saveRelayState } from './relay-state.ts'
import { openSpool } from './spool.ts'
import { createSpoolSink } from './spool-sink.ts'
import { startStatusServer } from './status-server.ts'
import { createStopwatch } from './stopwatch.ts'
import type { StreamMode } from './stream.ts'

export interface RelayOptions extends Secrecy {
  /** Builds the source of the events for a maximum size of a body. */
  readonly source: (maxBodyBytes: number) => EventSource<Receiver>
  /** Default: 10 MiB. A smaller limit of the broker takes precedence. */
  readonly maxBodyBytes?: number | undefined
  readonly broker: Omit<BrokerOptions, 'name'>
  readonly mode: Exclude<StreamMode, 'preview'>
  readonly spool: { readonly folder: string; readonly maxBytes: number }
  /** Listener for health and metrics. */
  readonly status: { readonly host: string; readonly port: number }
  readonly clock: Clock
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number
}

export type Relay = Awaited<ReturnType<typeof openRelay>>

/** Part of a message that its headers may need. */
const maxHeaderBytes = 64 * 1024
const tidyEveryMs = 30_000

/**
 * Accepts events into the spool and publishes them to JetStream. A relay that has published before starts without the broker.
 * @throws CallyardError as the spool, the broker and the listeners do
 */
export async function openRelay(options: RelayOptions) {
  const { clock, monotonicMs, broker: to } = options
  const { stream } = to
  const uptime = createStopwatch(monotonicMs)
  const spool = await openSpool({ ...options.spool, clock, monotonicMs, brokerUptime: uptime.elapsedMs })
  const closers: (() => Promise<unknown>)[] = [spool.close]
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  const queue = createQueue<RelayEvent>()
  const events: AsyncIterable<RelayEvent> = queue
  const report = (event: RelayEvent) => queue.push(event, 0)
  try {
    const savedState = readRelayState(spool.folder, stream)
    const relay = savedState?.relay ?? randomUUID()
    const connect = createConnector({ ...to, name: `callyard relay ${relay}` }, options.mode)
    const first = await connect().catch(error => {
      // A server whose disk is full refuses what others of its cluster do.
      const isAway = error instanceof CallyardError && ['unreachable', 'refused'].includes(error.kind)
      if (savedState === undefined || !isAway) throw error
      report({ kind: 'disconnected', reason: troubleReason(error) })
      return undefined
    })
    if (first !== undefined) closers.push(first.close)
    const maxPayloadBytes = first?.maxPayloadBytes ?? savedState?.maxPayloadBytes ?? 0
    if (savedState?.maxPayloadBytes !== maxPayloadBytes)
      await saveRelayState(spool.folder, { stream, relay, maxPayloadBytes })
    if (first !== undefined) report(streamEvent(stream, first.stream))

    const metrics = createRelayMetrics(() => spool)
    const maxBodyBytes = Math.min(
      options.maxBodyBytes ?? defaultMaxBodyBytes,
      maxPayloadBytes - Math.min(maxHeaderBytes, Math.floor(maxPayloadBytes / 2)),
    )
    const { secretHeader, keepSecrets } = options
    const { sink, totals } = createSpoolSink({
      ...{ spool, metrics, clock, maxBodyBytes, secretHeader, keepSecrets, report },
    })
    const left = spool.unpublished
    const source = await options.source(maxBodyBytes).start(sink)
    closers.push(source.close)
    const { host, port } = options.status
    // The publisher starts last: nothing is published if a port is in use.
    const publisher = lazy(() =>
      startPublisher(
        {
          ...{ spool, uptime, clock, metrics, relay, stream, connect },
          onEvent: event => report(toRelayEvent(event)),
        },
        first,
      ),
    )
    const status = await startStatusServer({
      ...{ host, port, metrics },
      cannotListen: error => cannotListen(error, { host, port }),
      notReady: () => [
        ...(publisher().isConnected ? [] : ['the broker is not connected']),
        ...(spool.isFull() ? ['the spool is full'] : []),
        ...(spool.isDiskFull ? ['the disk of the spool is full'] : []),
      ],
    })
    closers.push(status.close)
    report({
      ...{ kind: 'ready', url: source.address, status: status.address, stream, relay, spool: spool.folder },
      ...{ maxBodyBytes, left },
    })
    closers.push(publisher().close)
    const tidying = new AbortController()
    const tidy = async () => {
      while (!tidying.signal.aborted) {
        await clock.sleep(tidyEveryMs, tidying.signal).catch(() => undefined)
        await spool.tidy().catch(error => report({ kind: 'spool-failing', reason: getErrorReason(error) }))
      }
    }
    const tidied = tidy()
    const finish = lazy(async (): Promise<void> => {
      tidying.abort()
      await tidied
      await publisher().close()
      const { published, duplicates } = publisher().totals
      const { unpublished } = spool
      await closeAll()
      report({ kind: 'summary', ...totals, published, duplicates, unpublished })
      queue.end()
    })
    return {
      source,
      status,
      folder: spool.folder,
      /** For one reader; `summary` is last. */
      events,
      /** Resolves when JetStream has acknowledged every event. */
      idle: () => publisher().idle(),
      /** Deliveries that JetStream lacks. */
      get unpublished() {
        return spool.unpublished
      },
      /** Stops accepting events, publishes what it can within the time, and ends the events. */
      async close(drainMs: number): Promise<void> {
        await source.close()
        await atMost(drainMs, publisher().idle(), clock)
        await finish()
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Connects to the given servers, or others of their cluster that are known by then. */
function createConnector(options: BrokerOptions, mode: StreamMode): () => Promise<Broker> {
  let cluster: readonly string[] = []
  let changes = mode
  return async () => {
    const servers = [...new Set([...options.servers, ...cluster])]
    const broker = await connectBroker({ ...options, servers }, changes)
    cluster = broker.cluster
    // Another relay may have other limits; the first connection decided.
    changes = 'use'
    return broker
  }
}

function toRelayEvent(event: PublisherEvent): RelayEvent {
  if (event.kind === 'connected') {
    const { server, version } = event.broker
    return { kind: 'connected', server, version }
  }
  if (event.kind === 'disconnected') return { kind: 'disconnected', reason: troubleReason(event.error) }
  return event
}
