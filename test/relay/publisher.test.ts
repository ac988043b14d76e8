import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { toRecordedLine } from '../../src/events/recordings/index.ts'
import { createDeferred, createQueue } from '../../src/lib/queue.ts'
import type { Broker, PublishResult } from '../../src/relay/broker.ts'
import { createRelayMetrics } from '../../src/relay/metrics.ts'
import { startPublisher } from '../../src/relay/publisher.ts'
import { openSpool } from '../../src/relay/spool.ts'
import { createStopwatch } from '../../src/relay/stopwatch.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { callEvent } from './start-test-relay.ts'

/** A publisher whose broker acknowledges at once, and whose disk syncs when the test says so. */
async function start() {
  const clock = manualClock()
  const monotonicMs = clock.now
  /** Syncs that have begun. */
  const syncs = createQueue<() => void>()
  const begun = syncs[Symbol.asyncIterator]()
  let isOver = false
  const sync = () => {
    const { promise, resolve } = createDeferred()
    if (isOver) resolve()
    else syncs.push(resolve, 0)
    return promise
  }
  const spool = await openSpool({
    ...{ folder: await temporaryFolder(), maxBytes: 1024 ** 2, clock, monotonicMs, brokerUptime: () => 0 },
    disk: { write: (_, bytes) => bytes.length, truncate() {}, sync },
  })
  const published: string[] = []
  const broker: Broker = {
    ...{ server: 'fake', version: '2.9.0', cluster: [], maxPayloadBytes: 1024 ** 2 },
    ...{ stream: { action: 'none', changes: [], replicas: 1 }, closed: new Promise(() => {}) },
    publish({ id, body }, onResult: (result: PublishResult) => void) {
      published.push(body.toString())
      onResult({ id, sequence: published.length, isDuplicate: false })
    },
    findStored: async () => ({ isStored: true, hasHoles: false }),
    close: async () => {},
  }
  const publisher = startPublisher(
    {
      ...{ spool, clock, stream: 'calls', relay: 'r1', uptime: createStopwatch(monotonicMs) },
      ...{ metrics: createRelayMetrics(() => spool), connect: async () => broker, onEvent() {} },
    },
    broker,
  )
  onTestFinished(async () => {
    isOver = true
    syncs.end()
    for await (const resolve of begun) resolve()
    const closed = publisher.close()
    await clock.advance(10_000)
    await closed
    await spool.close()
  })
  const append = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, number) => {
        const body = Buffer.from(JSON.stringify(callEvent(`c${number}`, number)))
        const accepted = { at: '2026-01-02T03:04:05.678Z', headers: {}, body }
        const line = Buffer.from(toRecordedLine({ ...accepted, body: body.toString() }))
        return spool.append(line, {
          ...accepted,
          calls: [{ call: `c${number}`, account: null, positions: [0] }],
        })
      }),
    )
  /** Waits for a sync to begin, and lets it end. */
  const endSync = async () => {
    const { value: resolve } = await begun.next()
    resolve?.()
    for (let rounds = 0; rounds < 20; rounds++) await turn()
  }
  return { clock, published, append, endSync }
}

test('publishes single events at once', async () => {
  const { clock, published, append, endSync } = await start()
  for (let count = 1; count <= 5; count++) {
    void append(1)
    await clock.advance(0)
    await endSync()
    expect(published).toHaveLength(count)
  }
})
