import { readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { toRecordedLine } from '../../src/events/recordings/index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import {
  openSpool,
  retentionMs,
  type Spool,
  type SpooledEvent,
  type SpoolOptions,
} from '../../src/relay/spool.ts'
import { runs } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { callEvent } from './start-test-relay.ts'

const at = '2026-01-02T03:04:05.678Z'
const lineOf = (number: number) =>
  Buffer.from(toRecordedLine({ at, headers: {}, body: JSON.stringify(callEvent('c1', number)) }))

async function open(options: Partial<SpoolOptions> = {}) {
  const time = { now: 0 }
  const folder = options.folder ?? (await temporaryFolder())
  const now = () => time.now
  const spool = await openSpool({
    ...{ folder, maxBytes: 1024 ** 2, clock: systemClock, monotonicMs: now, brokerUptime: now },
    ...options,
  })
  onTestFinished(spool.close)
  return { spool, time, folder }
}

const missing = { isStored: false, hasHoles: false }

const numberOf = ({ segment, range: place }: SpooledEvent) =>
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

test('a full disk leaves no file for each rejected event', async () => {
  let fails = true
  const disk: SpoolOptions['disk'] = {
    write(file, bytes) {
      if (fails) throw new Error('disk full')
      return writeSync(file, bytes)
    },
    truncate() {},
  }
  const { spool, folder } = await open({ disk })
  const filesOf = () => readdirSync(folder).filter(name => name.endsWith('.ndjson'))
  for (const number of [1, 2, 3]) await expect(spool.append(lineOf(number))).rejects.toThrow('disk full')
  expect(filesOf()).toEqual([])
  fails = false
  await spool.append(lineOf(4))
  expect((await readAll(spool, 1)).map(numberOf)).toEqual([4])
  fails = true
  for (const number of [5, 6, 7]) await expect(spool.append(lineOf(number))).rejects.toThrow('disk full')
  fails = false
  await spool.append(lineOf(8))
  expect((await readAll(spool, 1)).map(numberOf)).toEqual([8])
  expect(filesOf()).toHaveLength(2)
})

test('after a kill at any byte, the next process publishes every complete line in order', async () => {
  const lines = Buffer.concat([0, 1, 2].map(lineOf))
  const ends = [0, 1, 2]
    .map(number => lineOf(number).length)
    .map((_, index, all) => sum(all.slice(0, index + 1)))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: lines.length }), async length => {
      const folder = await temporaryFolder()
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
  expect(await spool.rewind(async () => missing)).toBe(1)
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

/** Acknowledges events like a stream that stores one after the other. */
function createStream() {
  let last = 0
  return {
    acknowledge(spool: Spool, event: SpooledEvent) {
      last++
      return spool.acknowledge(event, { sequence: last, id: String(last) })
    },
    /** The stream has every message up to this one. */
    keeps: (count: number) => async (message: { readonly sequence: number }) => ({
      isStored: message.sequence <= count,
      hasHoles: false,
    }),
  }
}

test('after trouble, only what the stream lost is returned again, also when trouble follows trouble', async () => {
  const { spool } = await open()
  const stream = createStream()
  const read = async (count: number) => {
    const events = await readAll(spool, count)
    return events.filter(event => !spool.isAcknowledged(event))
  }
  for (const number of [1, 2, 3, 4, 5, 6]) {
    await spool.append(lineOf(number))
    for (const event of await read(1)) stream.acknowledge(spool, event)
    // Two events in each segment.
    if (number % 2 === 0) await spool.tidy()
  }
  expect(await spool.rewind(stream.keeps(6))).toBe(0)
  expect(await read(6)).toEqual([])
  // Events 3 to 6 are in segments that lost their last message.
  expect(await spool.rewind(stream.keeps(3))).toBe(4)
  const lost = await read(6)
  expect(lost.map(numberOf)).toEqual([3, 4, 5, 6])
  const [third] = lost
  if (third !== undefined) expect(stream.acknowledge(spool, third)).toBe(false)
  // Now the stream has the third one again, whose sequence is after those of the lost ones.
  expect(await spool.rewind(stream.keeps(7))).toBe(3)
  const rest = await read(6)
  expect(rest.map(numberOf)).toEqual([4, 5, 6])
  for (const event of rest) stream.acknowledge(spool, event)
  expect(await spool.rewind(stream.keeps(10))).toBe(0)
  expect(spool.unpublished).toBe(0)
})

test('what a stream with holes may lack is returned again while it recognizes repeats', async () => {
  const { spool, time } = await open()
  await spool.append(lineOf(1))
  for (const event of await readAll(spool, 1)) spool.acknowledge(event, { sequence: 1, id: 'a' })
  const holes = async () => ({ isStored: true, hasHoles: true })
  expect(await spool.rewind(holes)).toBe(1)
  for (const event of await readAll(spool, 1)) spool.acknowledge(event, { sequence: 1, id: 'a' })
  time.now = 14 * 60_000 + 1
  await spool.append(lineOf(2))
  expect(await spool.rewind(holes)).toBe(0)
})

test('a relay that runs for many windows keeps only the events of the last one', async () => {
  const { spool, time, folder } = await open()
  const stream = createStream()
  const files = () => readdirSync(folder).filter(name => name.endsWith('.ndjson')).length
  const windows = 6
  const stepMs = 30_000
  const [events, sizes]: [number[], number[]] = [[], []]
  for (let step = 1; step <= (windows * retentionMs) / stepMs; step++) {
    for (const number of [1, 2, 3]) await spool.append(lineOf(number))
    while (spool.unpublished > 0)
      for (const event of await readAll(spool, 1))
        if (!spool.isAcknowledged(event)) stream.acknowledge(spool, event)
    time.now += stepMs
    await spool.tidy()
    // The broker is restarted once in a window, and has lost nothing.
    if (step % 24 === 0) expect(await spool.rewind(stream.keeps(Number.POSITIVE_INFINITY))).toBe(0)
    events.push(spool.events)
    sizes.push(spool.bytes)
    expect(files()).toBe(spool.events / 3)
  }
  const perWindow = (3 * retentionMs) / stepMs
  expect(Math.max(...events)).toBeLessThanOrEqual(perWindow)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(perWindow * lineOf(1).length)
})

test('while the broker is away for days, the spool is one segment, and its limit holds', async () => {
  const size = lineOf(1).length
  const maxBytes = 200 * size
  const { spool, time, folder } = await open({ maxBytes })
  let accepted = 0
  for (let step = 0; step < 1000; step++) {
    time.now += 5 * 60_000
    await spool.tidy()
    if (spool.isFull(size)) continue
    await spool.append(lineOf(1))
    accepted++
    expect(readdirSync(folder).filter(name => name.endsWith('.ndjson'))).toHaveLength(1)
  }
  expect(accepted).toBe(200)
  const written = readdirSync(folder)
    .filter(name => name.endsWith('.ndjson'))
    .map(name => statSync(join(folder, name)).size)
  expect(Math.max(...written)).toBe(maxBytes)
  expect(spool.unpublished).toBe(200)
})

test('after a long outage, events that the stream still has are not published again', async () => {
  for (const isStored of [true, false]) {
    const folder = await temporaryFolder()
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
      return { isStored, hasHoles: false }
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
  // Each event gets a segment of its own.
  const { spool } = await open({ maxBytes: 3 * size, segmentBytes: size })
  for (const number of [0, 1]) await spool.append(lineOf(number))
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
