import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { createDeferred } from '../../src/lib/queue.ts'
import type { SharedEntry } from '../../src/lib/shared-log.ts'
import { loadSharedBatch } from '../../src/relay/index.ts'
import { startNatsServer } from '../helpers/nats-server.ts'

const { openSharedBatch } = await loadSharedBatch()

interface OpenOptions {
  readonly batch?: string
  readonly mode?: 'create' | 'existing'
  readonly signal?: AbortSignal
}

async function open(
  servers: readonly string[],
  { batch = 'reminders', mode = 'create', signal = new AbortController().signal }: OpenOptions = {},
) {
  const troubles: (string | undefined)[] = []
  const back = createDeferred()
  const shared = await openSharedBatch({
    ...{ servers, batch, mode, signal, clock: systemClock, timeoutMs: 10_000 },
    onTrouble(reason) {
      troubles.push(reason)
      if (reason === undefined) back.resolve()
    },
  })
  onTestFinished(shared.log.close)
  const entries: SharedEntry[] = []
  const waiting = new Set<() => void>()
  const follow = () =>
    shared.log.follow(entry => {
      entries.push(entry)
      for (const wake of waiting) wake()
    })
  /** Waits until this number of entries has arrived. */
  const arrived = async (count: number) => {
    while (entries.length < count) await new Promise<void>(resolve => waiting.add(resolve))
  }
  return { ...shared, entries, troubles, follow, arrived, back: back.promise }
}

const decision = (id: string, after?: number) => ({ topic: 'decisions', id, text: id, after }) as const

describe('the log of a batch', { tags: 'nats-server' }, () => {
  test('stores a decision only after the last one, each id once, in the same order for everybody', async () => {
    const { url } = await startNatsServer()
    const first = await open([url])
    await first.follow()
    const { log } = first
    expect(await log.append(decision('a', 0))).toEqual({ sequence: 1 })
    expect(await log.append({ topic: 'knowledge', id: 'k', text: 'k' })).toEqual({ sequence: 2 })
    expect(await log.append(decision('b', 0))).toEqual({ sequence: 1 })
    expect(await log.append(decision('b', 1))).toEqual({ sequence: 3 })
    // Its acknowledgment was lost.
    expect(await log.append(decision('b', 1))).toEqual({ sequence: 3 })
    expect(await log.append(decision('c'))).toEqual({ sequence: 4 })
    await first.arrived(4)
    const second = await open([url], { mode: 'existing' })
    await second.follow()
    expect(second.entries).toEqual(first.entries)
    expect(first.entries.map(({ id, topic, after }) => [id, topic, after])).toEqual([
      ['a', 'decisions', 0],
      ['k', 'knowledge', undefined],
      ['b', 'decisions', 1],
      ['c', 'decisions', undefined],
    ])
    expect(Math.abs(log.clockAheadMs)).toBeLessThan(5000)
  })

  test('of eight writers at the same time, one wins each time', async () => {
    const { url } = await startNatsServer()
    const writers = await Promise.all(Array.from({ length: 8 }, () => open([url])))
    for (let round = 0, last = 0; round < 20; round += 1) {
      const results = await Promise.all(
        writers.map(({ log }, writer) => log.append(decision(`${round} ${writer}`, last))),
      )
      const sequences = new Set(results.map(({ sequence }) => sequence))
      expect(sequences.size).toBe(1)
      last += 1
      expect(sequences).toEqual(new Set([last]))
    }
  })

  test('continues after a broker was killed, and reports it', async () => {
    const broker = await startNatsServer()
    const { log, follow, arrived, entries, troubles, back } = await open([broker.url])
    await follow()
    await log.append(decision('a', 0))
    await arrived(1)
    await broker.kill()
    await expect(log.append(decision('b', 1))).rejects.toThrow()
    await broker.restart()
    await back
    await log.append(decision('b', 1))
    await arrived(2)
    expect(entries.map(({ id }) => id)).toEqual(['a', 'b'])
    expect([typeof troubles[0], troubles.at(-1)]).toEqual(['string', undefined])
  })

  test.each([
    ['deleted', undefined],
    ['replaced by another one', 'reminders'],
  ])('that was %s is an error for who followed it', async (_, again) => {
    const broker = await startNatsServer()
    const { log, follow } = await open([broker.url])
    await follow()
    await log.append(decision('a', 0))
    const connection = await connect({ servers: broker.url })
    await (await jetstreamManager(connection)).streams.delete('callyard-batch-reminders')
    await connection.close()
    if (again !== undefined) await open([broker.url], { batch: again })
    await log.append(decision('b', 1)).catch(() => undefined)
    await expect(log.failed).rejects.toMatchObject({
      code: expect.stringMatching(again ? /^batch-/ : /^batch-missing$/),
    })
  })

  test('that nobody has begun is an error, and a name of any characters is a log of its own', async () => {
    const { url } = await startNatsServer()
    await expect(open([url], { mode: 'existing' })).rejects.toMatchObject({
      ...{ code: 'batch-missing', kind: 'usage' },
    })
    const names = ['a b', 'a.b', '*', '>', 'ä/b', '+12025550123', 'a'.repeat(300), '😀', '-']
    for (const batch of names) {
      const { log, follow, entries, arrived } = await open([url], { batch })
      await follow()
      await log.append(decision(batch, 0))
      await arrived(1)
      expect(entries.map(({ id }) => id)).toEqual([batch])
    }
    const connection = await connect({ servers: url })
    const jsm = await jetstreamManager(connection)
    const streams = (await jsm.streams.list().next()).map(({ config }) => JSON.stringify(config))
    await connection.close()
    expect(streams).toHaveLength(names.length)
    for (const config of streams) expect(config).not.toContain('12025550123')
  })

  test('refuses an entry that is larger than a message', async () => {
    const { url } = await startNatsServer('jetstream { store_dir: "STORE" }\nmax_payload: 5000')
    const { log } = await open([url])
    await expect(log.append({ ...decision('a'), text: 'x'.repeat(5000) })).rejects.toMatchObject({
      ...{ code: 'entry-too-large', kind: 'usage' },
    })
  })

  test('has opt-outs that other batches see at once', async () => {
    const { url } = await startNatsServer()
    const first = await open([url])
    const other = await open([url], { batch: 'other' })
    await Promise.all([first.follow(), other.follow()])
    const numbers = ['+12025550110', '+12025550111']
    expect(await other.optOuts.has(numbers)).toBe(false)
    const optOut = { call: 'CC-1', at: '2026-11-26T09:00:00Z', words: 'stop' }
    await first.optOuts.add({ ...optOut, numbers: numbers.slice(1) })
    await first.optOuts.add({ ...optOut, numbers: numbers.slice(1) })
    while (!(await other.optOuts.has(numbers.slice(1)))) await new Promise(resolve => setImmediate(resolve))
    expect(await other.optOuts.has(numbers)).toBe(true)
    expect(await other.optOuts.has(numbers.slice(0, 1))).toBe(false)
    const third = await open([url], { batch: 'third' })
    expect(await third.optOuts.has(numbers)).toBe(true)
  })
})
