import { onTestFinished } from 'vitest'
import { receiveOverHttp } from '../../src/events/receive/index.ts'
import { monotonicMs, systemClock } from '../../src/lib/clock.ts'
import { loadRelay, type RelayEvent } from '../../src/relay/index.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { startNatsServer } from '../helpers/nats-server.ts'
import { post } from '../helpers/target-server.ts'

const { openRelay } = await loadRelay()

type RelayOptions = Parameters<typeof openRelay>[0]

interface TestRelayOptions extends Partial<Omit<RelayOptions, 'broker'>> {
  readonly folder?: string
  readonly broker?: Partial<RelayOptions['broker']>
  readonly maxBytes?: number
}

/** Starts a relay on free loopback ports; closed when the test ends, without a drain. */
export async function startTestRelay(servers: readonly string[], options: TestRelayOptions = {}) {
  const { folder = await temporaryFolder(), broker, maxBytes = 1024 ** 3, ...rest } = options
  const clock = options.clock ?? systemClock
  const relay = await openRelay({
    source: maxBodyBytes => receiveOverHttp({ host: '127.0.0.1', port: 0, path: '/', maxBodyBytes, clock }),
    broker: {
      ...{ servers, stream: 'calls', keepMs: 3_600_000, maxBytes: 64 * 1024 ** 2, timeoutMs: 10_000 },
      ...broker,
    },
    mode: 'use',
    spool: { folder, maxBytes },
    status: { host: '127.0.0.1', port: 0 },
    clock,
    monotonicMs,
    ...rest,
  })
  const seen: RelayEvent[] = []
  const waiting = new Set<() => void>()
  const reading = (async () => {
    for await (const event of relay.events) {
      seen.push(event)
      for (const wake of [...waiting]) wake()
    }
  })()
  onTestFinished(() => relay.close(0))
  return {
    ...relay,
    relay,
    folder,
    seen,
    get: async (path: string) => {
      const response = await fetch(relay.status.address + path)
      return { status: response.status, text: await response.text() }
    },
    /** Sends a body; resolves with the status. */
    send: (body: unknown, headers?: Record<string, string>) => post(relay.source.address, body, headers),
    /** Waits for the nth event of a kind, from 1. */
    async event<Kind extends RelayEvent['kind']>(kind: Kind, nth = 1) {
      const isWanted = (event: RelayEvent): event is Extract<RelayEvent, { kind: Kind }> =>
        event.kind === kind
      for (;;) {
        const match = seen.filter(isWanted)[nth - 1]
        if (match !== undefined) return match
        await new Promise<void>(resolve => {
          const wake = () => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    /** Publishes everything, closes, and returns the summary. */
    async finish(drainMs = 20_000) {
      await relay.close(drainMs)
      await reading
      return seen.at(-1)
    },
  }
}

/** Starts a broker, and a relay that is connected to it. */
export async function startBrokerWithRelay(options: TestRelayOptions = {}) {
  const broker = await startNatsServer()
  const relay = await startTestRelay([broker.url], options)
  await relay.event('connected')
  return { broker, relay }
}

/** A status-update of a call; events with the same number have equal bodies. */
export function callEvent(call: string, number = 0) {
  return {
    message: { type: 'status-update', call: { id: call, teamId: 'team-1', status: 'ongoing' }, number },
  }
}
