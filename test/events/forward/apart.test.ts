import { copyFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failingDisk } from '../../helpers/failing-disk.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { holding, ok, startTarget } from '../../helpers/target-server.ts'
import { eventOf, forward, numbers, numbersOf, startForwarding, to, until } from './forwarding.ts'

/** Memory of an event of a thousand bytes, less than that of two. */
const room = (events: number) => events * 1600 + 100
const padding = 'x'.repeat(1000)

test('events that wait for one target hold nothing on disk of what another one has', async () => {
  const [stuck, quick] = [await startTarget(() => undefined), await startTarget()]
  const { forwarder, folder } = await startForwarding({
    targets: [to(stuck.url, 'status-update'), to(quick.url, 'other')],
  })
  for (const number of numbers(40)) {
    forward(forwarder, eventOf('c', number, { type: 'other', padding: 'x'.repeat(1_000_000) }))
    forward(forwarder, eventOf('c', number))
    await until(() => forwarder.left === number + 1)
  }
  const files = (await readdir(folder)).filter(name => name.endsWith('.ndjson'))
  const sizes = await Promise.all(files.map(async file => (await stat(join(folder, file))).size))
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(18 * 1024 ** 2)
})

test('a body that goes to several targets is in memory once, until all of them are done with it', async () => {
  const answer = holding()
  const [slow, quick] = [await startTarget(answer), await startTarget()]
  const disk = failingDisk()
  disk.room = 0
  const { forwarder, told, close } = await startForwarding({
    targets: [to(slow.url), to(quick.url)],
    disk,
    maxMemory: room(3),
  })
  const send = (number: number) => forward(forwarder, eventOf('c', number, { padding }))
  for (const number of numbers(3)) send(number)
  expect(told('forward-unkept').map(({ target }) => target)).toEqual([slow.url, quick.url])
  expect(told('forward-dropped')).toEqual([])
  await until(() => quick.arrivals.length === 3 && forwarder.left === 3)
  send(3)
  expect(told('forward-dropped')).toMatchObject([
    { target: slow.url, why: 'disk' },
    { target: quick.url, why: 'disk' },
  ])
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  send(4)
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  expect(numbersOf(slow.arrivals)).toEqual([0, 1, 2, 4])
  expect(numbersOf(quick.arrivals)).toEqual([0, 1, 2, 4])
  expect(await close()).toMatchObject({ dropped: 2 })
})

test('events for several targets are on disk once, and go when the slowest target has them', async () => {
  const answer = holding()
  const [slow, quick] = [await startTarget(answer), await startTarget()]
  const { forwarder, folder, close } = await startForwarding({ targets: [to(slow.url), to(quick.url)] })
  for (const number of numbers(3))
    forward(forwarder, eventOf('c', number, { padding: 'x'.repeat(1_000_000) }))
  await until(() => quick.arrivals.length === 3 && forwarder.left === 3)
  const files = (await readdir(folder)).filter(name => name.endsWith('.ndjson'))
  expect(files).toHaveLength(1)
  expect((await stat(join(folder, files[0] ?? ''))).size).toBeLessThan(3_100_000)
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  await close()
  expect(await readdir(folder)).toEqual([])
})

test('delivers what exceeds one target’s queue to the other only, even after a kill', async () => {
  const answer = holding()
  const [slow, quick] = [await startTarget(answer), await startTarget(answer)]
  const targets = [to(slow.url), to(quick.url)]
  const first = await startForwarding({ targets, maxWaiting: room(2) })
  forward(first.forwarder, eventOf('c', 0, { padding }))
  forward(first.forwarder, eventOf('c', 1, { padding }))
  await until(() => quick.arrivals.length === 1 && slow.arrivals.length === 1)
  quick.answer = ok
  answer.release(2)
  await until(() => quick.arrivals.length === 2 && slow.arrivals.length === 2)
  await until(() => first.forwarder.left === 1)
  forward(first.forwarder, eventOf('c', 2, { padding }))
  quick.answer = holding()
  forward(first.forwarder, eventOf('c', 3, { padding }))
  expect(first.told('forward-dropped')).toMatchObject([{ target: slow.url, why: 'full' }])
  const copy = await temporaryFolder()
  for (const file of await readdir(first.folder)) {
    if (file.endsWith('.ndjson')) await copyFile(join(first.folder, file), join(copy, file))
  }
  await first.close()
  const arrived = { slow: slow.arrivals.length, quick: quick.arrivals.length }
  for (const target of [slow, quick]) target.answer = ok
  const second = await startForwarding({ targets, folder: copy, resume: true })
  await until(() => second.forwarder.left === 0)
  expect(numbersOf(slow.arrivals.slice(arrived.slow))).toEqual([1, 2])
  expect(numbersOf(quick.arrivals.slice(arrived.quick)).at(-1)).toBe(3)
})

test('reports each target separately if the disk accepts an event for only one of them', async () => {
  const answer = holding()
  const [first, second] = [await startTarget(answer), await startTarget(answer)]
  const disk = failingDisk()
  const targets = [to(first.url), to(second.url, 'status-update')]
  const { forwarder, news, folder, close } = await startForwarding({ targets, disk })
  forward(forwarder, eventOf('c', 0, { padding }))
  // One event and a half.
  disk.room = 1800
  forward(forwarder, eventOf('c', 1, { padding }))
  expect(news).toMatchObject([{ kind: 'forward-unkept', target: second.url }])
  disk.room = Number.POSITIVE_INFINITY
  const copy = await temporaryFolder()
  for (const file of await readdir(folder)) {
    if (file.endsWith('.ndjson')) await copyFile(join(folder, file), join(copy, file))
  }
  await until(() => answer.held === 2)
  expect((await close())?.targets).toMatchObject([
    { undelivered: 2, lost: 0 },
    { undelivered: 2, lost: 1 },
  ])
  for (const target of [first, second]) target.answer = ok
  const resumed = await startForwarding({ targets, folder: copy, resume: true })
  expect(resumed.told('forward-left').map(({ events }) => events)).toEqual([2, 1])
  await until(() => resumed.forwarder.left === 0)
  expect(numbersOf(first.arrivals.slice(1))).toEqual([0, 1])
  expect(numbersOf(second.arrivals.slice(1))).toEqual([0])
})

test('events for two targets are written once, and noted once for each target', async () => {
  const targets = [await startTarget(), await startTarget()]
  const disk = failingDisk()
  const count = 40
  let writes = 0
  const { forwarder, close } = await startForwarding({
    targets: targets.map(({ url }) => to(url)),
    disk: {
      truncate: (file, length) => disk.truncate(file, length),
      write(file, bytes) {
        writes++
        return disk.write(file, bytes)
      },
    },
  })
  for (const number of numbers(count)) forward(forwarder, eventOf(`c${number % 20}`, number))
  await until(() => forwarder.left === 0)
  await close()
  const header = 1
  expect(writes).toBe(header + count + 2 * count)
  expect(targets.map(({ arrivals }) => arrivals.length)).toEqual([count, count])
})
