import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failingDisk } from '../../helpers/failing-disk.ts'
import { holding, ok, startTarget } from '../../helpers/target-server.ts'
import { eventOf, forward, numbers, numbersOf, startForwarding, to, until } from './forwarding.ts'

/** Memory of an event of a thousand bytes, less than that of two. */
const room = (events: number) => events * 1600 + 100
const padding = 'x'.repeat(1000)

test('reports a full queue of a target once with a count; later events and other targets continue', async () => {
  const answer = holding()
  const [slow, other] = [await startTarget(answer), await startTarget()]
  const { forwarder, told, close } = await startForwarding({
    targets: [to(slow.url), to(other.url, 'status-update')],
    maxWaiting: room(3),
  })
  for (const number of numbers(6)) {
    forward(forwarder, eventOf('c', number, { padding }))
    await until(() => other.arrivals.length === number + 1 && forwarder.left <= 3)
  }
  expect(told('forward-dropped')).toEqual([
    {
      kind: 'forward-dropped',
      target: slow.url,
      since: expect.stringMatching(/^2026-.*Z$/),
      why: 'full',
    },
  ])
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  forward(forwarder, eventOf('c', 6, { padding }))
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  expect(numbersOf(slow.arrivals)).toEqual([0, 1, 2, 6])
  expect(numbersOf(other.arrivals)).toEqual(numbers(7))
  expect(told('forward-dropped')).toHaveLength(1)
  expect(await close()).toMatchObject({ dropped: 3, targets: [{ delivered: 4 }, { delivered: 7 }] })
})

test('a queue that stays almost full is reported once; one that has emptied in between is reported again', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const { forwarder, told, close } = await startForwarding({ targets: [to(target.url)], maxWaiting: room(4) })
  const send = () => forward(forwarder, eventOf('c', 0, { padding }))
  for (const _ of numbers(5)) send()
  for (const _ of numbers(10)) {
    await until(() => answer.held === 1)
    answer.release()
    await until(() => forwarder.left === 3)
    send()
    send()
  }
  expect(told('forward-dropped')).toHaveLength(1)
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  for (const _ of numbers(6)) send()
  expect(told('forward-dropped')).toHaveLength(2)
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  expect((await close())?.dropped).toBe(13)
})

test('keeps events in memory while the disk fails, and reports the failure and the recovery', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const disk = failingDisk()
  const { forwarder, news, folder, close } = await startForwarding({
    targets: [to(target.url)],
    disk,
    maxMemory: room(3),
  })
  const send = (number: number) => forward(forwarder, eventOf('c', number, { padding }))
  send(0)
  // Half of the next one.
  disk.room = 500
  send(1)
  send(2)
  expect(news).toEqual([
    {
      kind: 'forward-unkept',
      target: target.url,
      since: expect.stringMatching(/^2026-.*Z$/),
      reason: expect.stringContaining('ENOSPC'),
    },
  ])
  send(3)
  send(4)
  expect(news.slice(1)).toEqual([
    { kind: 'forward-dropped', target: target.url, since: expect.stringMatching(/^2026-.*Z$/), why: 'disk' },
  ])
  disk.room = Number.POSITIVE_INFINITY
  send(5)
  expect(news.slice(2)).toEqual([{ kind: 'forward-kept-again', target: target.url }])
  const [file = ''] = (await readdir(folder)).filter(name => name.endsWith('.ndjson'))
  const kept = (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n').slice(1)
  expect(numbersOf(kept.map(line => JSON.parse(line)))).toEqual([0, 5])
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  expect(numbersOf(target.arrivals)).toEqual([0, 1, 2, 5])
  expect(await close()).toMatchObject({ dropped: 2, unwritten: 0, targets: [{ delivered: 4 }] })
  expect(await readdir(folder)).toEqual([])
})

test('a full disk at the start leaves no files', async () => {
  const target = await startTarget()
  const disk = failingDisk()
  disk.room = 0
  const { forwarder, told, folder, close } = await startForwarding({ targets: [to(target.url)], disk })
  for (const number of numbers(20)) forward(forwarder, eventOf('c', number))
  await until(() => forwarder.left === 0)
  expect((await readdir(folder)).filter(name => name.endsWith('.ndjson'))).toEqual([])
  expect(told('forward-unkept')).toHaveLength(1)
  expect(await close()).toMatchObject({ targets: [{ delivered: 20 }] })
})

test('delivered events take no memory, and survive a later disk failure', async () => {
  const answer = holding()
  const target = await startTarget()
  const disk = failingDisk()
  const { forwarder, told, close } = await startForwarding({
    targets: [to(target.url)],
    disk,
    maxMemory: room(3),
  })
  const send = (number: number) => forward(forwarder, eventOf('c', number, { padding }))
  for (const number of numbers(10)) send(number)
  await until(() => forwarder.left === 0)
  target.answer = answer
  disk.room = 0
  for (const number of numbers(3, 10)) send(number)
  expect(told('forward-dropped')).toEqual([])
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  expect((await close())?.targets).toMatchObject([{ delivered: 13 }])
})

test('counts undelivered events that were only in memory as lost', async () => {
  const target = await startTarget(holding())
  const disk = failingDisk()
  const { forwarder, close } = await startForwarding({ targets: [to(target.url)], disk })
  forward(forwarder, eventOf('c', 0))
  disk.room = 0
  forward(forwarder, eventOf('c', 1))
  await until(() => target.arrivals.length === 1)
  expect((await close())?.targets).toMatchObject([{ delivered: 0, undelivered: 2, lost: 1 }])
})

test.each([
  ['is full to the end: the repeats to come are counted', 0, [0, 0, 1]],
  ['has room again at the end: nothing is repeated', Number.POSITIVE_INFINITY, [0, 1]],
])('deliveries that a disk could not record, which %s', async (_, roomAtEnd, arrived) => {
  const answer = holding()
  const target = await startTarget(answer)
  const disk = failingDisk()
  const { forwarder, folder, close } = await startForwarding({ targets: [to(target.url)], disk })
  for (const number of numbers(2)) forward(forwarder, eventOf('c', number))
  disk.room = 0
  await until(() => answer.held === 1)
  answer.release()
  await until(() => target.arrivals.length === 2)
  disk.room = roomAtEnd
  expect(await close()).toMatchObject({
    unwritten: arrived.length - 2,
    targets: [{ delivered: 1, undelivered: 1 }],
  })
  target.answer = ok
  const second = await startForwarding({ targets: [to(target.url)], folder, resume: true })
  await until(() => second.forwarder.left === 0)
  expect(numbersOf([...target.arrivals.slice(0, 1), ...target.arrivals.slice(2)])).toEqual(arrived)
})
