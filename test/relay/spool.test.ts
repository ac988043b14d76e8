import { readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { toRecordedLine } from '../../src/recordings/index.ts'
import { openSpool, retentionMs, type SpooledEvent, type SpoolOptions } from '../../src/relay/spool.ts'
import { runs } from '../helpers/every-case.ts'
import { callEvent, temporarySpool } from './start-test-relay.ts'

const at = '2026-01-02T03:04:05.678Z'
const lineOf = (number: number) =>
  Buffer.from(toRecordedLine({ at, headers: {}, body: JSON.stringify(callEvent('c1', number)) }))

async function open(options: Partial<SpoolOptions> = {}) {
  const time = { now: 0 }
  const folder = options.folder ?? (await temporarySpool())
  const now = () => time.now
  const spool = await openSpool({
    ...{ folder, maxBytes: 1024 ** 2, clock: systemClock, monotonicMs: now, brokerUptime: now },
    ...options,
  })
  onTestFinished(spool.close)
  return { spool, time, folder }
}

const numberOf = ({ segment, place }: SpooledEvent) =>
  JSON.parse(segment.read(place)?.body ?? '{"message":{}}').message.number

/** Numbers of the events that `next` returns without waiting for others. */
async function readAll({ next }: Pick<Awaited<ReturnType<typeof openSpool>>, 'next'>, count: number) {
  const events: SpooledEvent[] = []
  while (events.length < count) events.push(...(await next(new AbortController().signal)))
  return events
}

test('many events share a sync, and each is resolved only after it', async () => {
  let syncs = 0
  let isSynced = false
  const disk: SpoolOptions['disk'] = {
    write: (file, bytes) => writeSync(file, bytes),
    truncate() {},
    async sync() {
      syncs++
      await systemClock.sleep(0)
      isSynced = true
    },
  }
  const { spool } = await open({ disk })
  await Promise.all(
    Array.from({ length: 100 }, (_, number) =>
      spool.append(lineOf(number)).then(() => expect(isSynced).toBe(true)),
    ),
  )
  expect(syncs).toBeLessThanOrEqual(3)
  expect((await readAll(spool, 100)).map(numberOf)).toEqual(
    Array.from({ length: 100 }, (_, number) => number),
  )
})

test('an event that cannot be synced is rejected and not published; the next one is', async () => {
  let fails = true
  const disk: SpoolOptions['disk'] = {
    write: (file, bytes) => writeSync(file, bytes),
    truncate() {},
    async sync() {
      if (fails) throw new Error('disk full')
    },
  }
  const { spool } = await open({ disk })
  await expect(spool.append(lineOf(1))).rejects.toThrow('disk full')
  fails = false
  await spool.append(lineOf(2))
  expect((await readAll(spool, 1)).map(numberOf)).toEqual([2])
  expect(spool.unpublished).toBe(1)
})

test('after a kill at any byte, the next process publishes every complete line in order', async () => {
  const lines = Buffer.concat([0, 1, 2].map(lineOf))
  const ends = [0, 1, 2]
    .map(number => lineOf(number).length)
    .map((_, index, all) => sum(all.slice(0, index + 1)))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: lines.length }), async length => {
      const folder = await temporarySpool()
      writeFileSync(join(folder, '000000001.ndjson'), lines.subarray(0, length))
      const { spool } = await open({ folder })
      // A line that lacks only its newline is complete.
      const complete = ends.filter(end => end - 1 <= length).length
      expect(spool.unpublished).toBe(complete)
      await spool.append(lineOf(9))
      expect((await readAll(spool, complete + 1)).map(numberOf)).toEqual([...[0, 1, 2].slice(0, complete), 9])
      await spool.close()
    }),
    { numRuns: runs(40) },
  )
})

test('acknowledged events are returned again after trouble, until they are old', async () => {
  const { spool, time, folder } = await open()
  await spool.append(lineOf(1))
  const [first] = await readAll(spool, 1)
  if (first === undefined) throw new Error('no event')
  expect(spool.acknowledge(first, { sequence: 1, id: 'a' })).toBe(true)
  expect(await spool.rewind(async () => false)).toBe(1)
  expect((await readAll(spool, 1)).map(numberOf)).toEqual([1])
  expect(spool.acknowledge(first, { sequence: 1, id: 'a' })).toBe(false)
  time.now = retentionMs - 1
  await spool.tidy()
  expect(spool.events).toBe(1)
  time.now = retentionMs
  await spool.tidy()
  expect(spool.events).toBe(0)
  expect(readdirSync(folder).filter(name => /ndjson|stored/.test(name))).toEqual([])
})

test('after a long outage, events that the stream still has are not published again', async () => {
  for (const isStored of [true, false]) {
    const folder = await temporarySpool()
    const earlier = await open({ folder })
    await earlier.spool.append(lineOf(1))
    const [event] = await readAll(earlier.spool, 1)
    if (event !== undefined) earlier.spool.acknowledge(event, { sequence: 7, id: 'a' })
    await earlier.spool.close()
    const { spool } = await open({ folder })
    expect(spool.unpublished).toBe(0)
    const asked: unknown[] = []
    const repeated = await spool.rewind(async message => {
      asked.push(message)
      return isStored
    })
    expect(asked).toEqual([{ sequence: 7, id: 'a' }])
    expect(repeated).toBe(isStored ? 0 : 1)
    const [again] = await readAll(spool, 1)
    expect(again && spool.isAcknowledged(again)).toBe(isStored)
    await spool.close()
  }
})

test('a full spool drops acknowledged events first, and never the others', async () => {
  const size = lineOf(0).length
  const { spool } = await open({ maxBytes: 3 * size })
  for (const number of [0, 1]) {
    await spool.append(lineOf(number))
    // A segment of its own.
    await spool.tidy()
  }
  const [first] = await readAll(spool, 2)
  await spool.append(lineOf(2))
  if (first === undefined) throw new Error('no event')
  expect(spool.isFull(size)).toBe(true)
  spool.acknowledge(first, { sequence: 1, id: 'a' })
  expect(spool.isFull(size)).toBe(false)
  expect(spool.events).toBe(2)
  expect((await readAll(spool, 1)).map(numberOf)).toEqual([2])
})

test('one process at a time uses a spool', async () => {
  const { folder, spool } = await open()
  await expect(open({ folder })).rejects.toMatchObject({ code: 'spool-in-use', kind: 'conflict' })
  await spool.close()
  await open({ folder })
})

test('a spool is a recording', async () => {
  const { spool, folder } = await open()
  await spool.append(lineOf(5))
  expect(readFileSync(join(folder, '000000001.ndjson'))).toEqual(lineOf(5))
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
