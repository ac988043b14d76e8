import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../helpers/folders.ts'
import { holding, ok, startTarget } from '../../helpers/target-server.ts'
import { awhile, eventOf, forward, numbers, numbersOf, startForwarding, to, until } from './forwarding.ts'

test('close delivers what waits and leaves nothing', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const { forwarder, folder } = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(30)) forward(forwarder, eventOf(`c${number % 3}`, number))
  const closing = forwarder.close(10_000)
  await until(
    () => forwarder.left === 0,
    () => answer.release(1),
  )
  expect(await closing).toEqual({
    targets: [{ target: target.url, type: null, delivered: 30, failed: 0, undelivered: 0, lost: 0 }],
    dropped: 0,
    unwritten: 0,
  })
  expect(await forwarder.close(0)).toBe(await closing)
  expect(await readdir(folder)).toEqual([])
})

test('aborts current requests at the deadline, and the resumed one delivers them', async () => {
  const target = await startTarget(() => undefined)
  const first = await startForwarding({ targets: [to(`${target.url}?token=s3cret`)] })
  const { folder } = first
  for (const number of numbers(6)) forward(first.forwarder, eventOf(`c${number % 2}`, number))
  await until(() => target.arrivals.length === 2)
  const closing = first.forwarder.close(7000)
  await until(() => first.clock.slept.includes(7000))
  expect(first.forwarder.left).toBe(6)
  first.clock.pass()
  expect((await closing).targets).toMatchObject([{ delivered: 0, failed: 0, undelivered: 6, lost: 0 }])
  expect(first.news).toEqual([])
  expect(await readdir(folder)).toHaveLength(1)

  target.answer = ok
  const left = { kind: 'forward-left', target: target.url, type: null, events: 6 }
  const second = await startForwarding({ targets: [to(`${target.url}?token=s3cret`)], folder })
  expect(second.news).toEqual([{ ...left, resumed: false }])
  forward(second.forwarder, eventOf('c0', 100))
  await until(() => second.forwarder.left === 0)
  await second.close()
  expect(numbersOf(target.arrivals.slice(2))).toEqual([100])

  const third = await startForwarding({ targets: [to(`${target.url}?token=s3cret`)], folder, resume: true })
  for (const number of numbers(4, 6)) forward(third.forwarder, eventOf(`c${number % 2}`, number))
  expect(third.news).toEqual([{ ...left, resumed: true }])
  await until(() => third.forwarder.left === 0)
  const arrived = numbersOf(target.arrivals.slice(3))
  expect(arrived.filter(number => number % 2 === 0)).toEqual([0, 2, 4, 6, 8])
  expect(arrived.filter(number => number % 2 === 1)).toEqual([1, 3, 5, 7, 9])
  expect((await third.close())?.targets).toMatchObject([{ delivered: 10, undelivered: 0 }])
  expect(await readdir(folder)).toEqual([])
})

test('reports leftover events immediately and sends them with start(), before new ones; otherwise they stay', async () => {
  const target = await startTarget(() => undefined)
  const targets = [to(target.url)]
  const first = await startForwarding({ targets })
  const { folder } = first
  for (const number of numbers(3)) forward(first.forwarder, eventOf('c', number))
  await until(() => target.arrivals.length === 1)
  await first.close()
  target.answer = ok
  const unstarted = await startForwarding({ targets, folder, resume: true, starts: false })
  expect(unstarted.told('forward-left')).toMatchObject([{ events: 3, resumed: true }])
  await awhile()
  expect(unstarted.forwarder.left).toBe(0)
  expect((await unstarted.close())?.targets).toMatchObject([{ delivered: 0, undelivered: 0 }])
  expect(target.arrivals).toHaveLength(1)

  const { forwarder } = await startForwarding({ targets, folder, resume: true, starts: false })
  forwarder.start()
  forward(forwarder, eventOf('c', 3))
  await until(() => forwarder.left === 0)
  expect(numbersOf(target.arrivals.slice(1))).toEqual([0, 1, 2, 3])
})

test('delivers what several processes left in order of arrival', async () => {
  const target = await startTarget(() => undefined)
  const folder = join(await temporaryFolder(), 'waiting')
  for (const run of numbers(8)) {
    const { forwarder, close } = await startForwarding({ targets: [to(target.url)], folder })
    for (const number of numbers(3, run * 3)) forward(forwarder, eventOf('c', number))
    await until(() => target.arrivals.length === run + 1)
    await close()
  }
  target.answer = ok
  const before = target.arrivals.length
  const { forwarder, told, close } = await startForwarding({
    targets: [to(target.url)],
    folder,
    resume: true,
  })
  expect(told('forward-left')).toMatchObject([{ events: 24 }])
  await until(() => forwarder.left === 0)
  expect(numbersOf(target.arrivals.slice(before))).toEqual(numbers(24))
  await close()
  expect(await readdir(folder)).toEqual([])
})

test('closing before the first event is sent does not wait for a response', async () => {
  const target = await startTarget(() => undefined)
  const { forwarder, close } = await startForwarding({ targets: [to(target.url)], timeout: 3_600_000 })
  forward(forwarder, eventOf('c', 0))
  expect((await close())?.targets).toMatchObject([{ undelivered: 1 }])
})

test('retries a target that is down at the end until the time is up', async () => {
  const target = await startTarget()
  await target.stop()
  const { forwarder, news, told, clock } = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(5)) forward(forwarder, eventOf(`c${number}`, number))
  await until(() => told('forward-down').length === 1)
  const closing = forwarder.close(60_000)
  await until(() => clock.slept.length === 3)
  expect(clock.slept).toEqual([250, 60_000, 500])
  clock.pass()
  expect((await closing).targets).toMatchObject([{ delivered: 0, failed: 0, undelivered: 5, lost: 0 }])
  expect(news).toEqual([{ kind: 'forward-down', target: target.url }])
})

test('a target that is back for the final attempt gets everything', async () => {
  const target = await startTarget()
  await target.stop()
  const { forwarder, told, folder } = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(100)) forward(forwarder, eventOf(`c${number % 10}`, number))
  await until(() => told('forward-down').length === 1)
  await target.start()
  expect((await forwarder.close(60_000)).targets).toMatchObject([{ delivered: 100, undelivered: 0 }])
  expect(told('forward-up')).toHaveLength(1)
  expect(await readdir(folder)).toEqual([])
})

test('a target that is down does not end the time of another', async () => {
  const answer = holding()
  const [down, slow] = [await startTarget(), await startTarget(answer)]
  await down.stop()
  const { forwarder, clock } = await startForwarding({ targets: [to(down.url), to(slow.url)] })
  for (const number of numbers(4)) forward(forwarder, eventOf('c', number))
  const closing = forwarder.close(60_000)
  await until(
    () => slow.arrivals.length === 4 && answer.held === 1,
    () => slow.arrivals.length < 4 && answer.release(),
  )
  answer.release()
  await until(() => forwarder.left === 4)
  clock.pass()
  expect((await closing).targets).toMatchObject([{ undelivered: 4 }, { delivered: 4 }])
})

test('a second one in the folder does not touch a running one’s files', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const first = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(3)) forward(first.forwarder, eventOf('c', number))
  await until(() => target.arrivals.length === 1)
  const second = await startForwarding({ targets: [to(target.url)], folder: first.folder, resume: true })
  expect(second.news).toEqual([])
  expect(second.forwarder.left).toBe(0)
  forward(second.forwarder, eventOf('d', 10))
  await until(
    () => first.forwarder.left + second.forwarder.left === 0,
    () => answer.release(),
  )
  expect(numbersOf(target.arrivals).sort()).toEqual([0, 1, 10, 2])
  await second.close()
  await first.close()
  expect(await readdir(first.folder)).toEqual([])
})

test('sends each target only what it lacks, and keeps events for targets that are not given', async () => {
  const answer = holding()
  const [quick, slow, gone] = [await startTarget(), await startTarget(answer), await startTarget(answer)]
  const first = await startForwarding({
    targets: [to(quick.url), to(slow.url), to(gone.url, 'status-update')],
  })
  const { folder } = first
  for (const number of numbers(4)) {
    forward(first.forwarder, eventOf('c', number, { type: number === 3 ? 'other' : 'status-update' }))
  }
  await until(() => quick.arrivals.length === 4 && slow.arrivals.length + gone.arrivals.length === 2)
  await until(() => first.forwarder.left === 7)
  await first.close()

  slow.answer = ok
  const second = await startForwarding({ targets: [to(slow.url), to(quick.url)], folder, resume: true })
  expect(second.news).toEqual([
    { kind: 'forward-left', target: slow.url, type: null, events: 4, resumed: true },
    { kind: 'forward-left', target: gone.url, type: 'status-update', events: 3, resumed: false },
  ])
  await until(() => second.forwarder.left === 0)
  await second.close()
  expect(numbersOf(slow.arrivals.slice(1))).toEqual([0, 1, 2, 3])
  expect(quick.arrivals).toHaveLength(4)
  expect(await readdir(folder)).toHaveLength(1)

  gone.answer = ok
  // Another type makes it another target.
  const third = await startForwarding({ targets: [to(gone.url, 'other')], folder, resume: true })
  expect(third.told('forward-left')).toMatchObject([{ events: 3, resumed: false }])
  await third.close()
  const last = await startForwarding({ targets: [to(gone.url, 'status-update')], folder, resume: true })
  await until(() => last.forwarder.left === 0)
  expect(numbersOf(gone.arrivals.slice(1))).toEqual([0, 1, 2])
  await last.close()
  expect(await readdir(folder)).toEqual([])
})

test('one that resumes and is ended itself leaves what it did not deliver', async () => {
  const target = await startTarget(() => undefined)
  const first = await startForwarding({ targets: [to(target.url)] })
  const { folder } = first
  for (const number of numbers(4)) forward(first.forwarder, eventOf('c', number))
  await until(() => target.arrivals.length === 1)
  await first.close()
  const before = target.arrivals.length
  const answer = holding()
  target.answer = answer
  const second = await startForwarding({ targets: [to(target.url)], folder, resume: true })
  for (const _ of numbers(2)) {
    await until(() => answer.held === 1)
    answer.release()
  }
  await until(() => answer.held === 1)
  await second.close()
  expect(numbersOf(target.arrivals.slice(before))).toEqual([0, 1, 2])
  target.answer = ok
  const third = await startForwarding({ targets: [to(target.url)], folder, resume: true })
  expect(third.told('forward-left')).toMatchObject([{ events: 2 }])
  await until(() => third.forwarder.left === 0)
  expect(numbersOf(target.arrivals.slice(before + 3))).toEqual([2, 3])
  await third.close()
  expect(await readdir(folder)).toEqual([])
})

test('reports and keeps unreadable files, and ignores those of others', async () => {
  const folder = await temporaryFolder()
  const garbage = join(folder, '20260301T100000000Z-0123abcd.1.ndjson')
  const later = join(folder, '20260301T100000000Z-0123abcd.2.ndjson')
  await writeFile(garbage, 'precious')
  await writeFile(later, '{"kind":"forward","version":2}\n')
  await writeFile(join(folder, 'calls.ndjson'), 'a recording')
  await writeFile(join(folder, '20260301T100000000Z-0123abcd.3.ndjson'), '')
  await writeFile(join(folder, '20260301T100000000Z-0123abcd.4.ndjson'), '{"kind":"forw')
  const { news, close } = await startForwarding({
    targets: [to('http://127.0.0.1:9/')],
    folder,
    resume: true,
  })
  expect(news).toEqual([
    { kind: 'forward-unreadable', path: garbage },
    { kind: 'forward-unreadable', path: later },
  ])
  await close()
  expect((await readdir(folder)).sort()).toEqual([
    '20260301T100000000Z-0123abcd.1.ndjson',
    '20260301T100000000Z-0123abcd.2.ndjson',
    'calls.ndjson',
  ])
})

test('the lock of a process that was killed before its first event does not stay for good', async () => {
  const folder = await temporaryFolder()
  const holder = { pid: 2 ** 22 + 1, host: 'elsewhere.example.com', token: 'a-token' }
  await writeFile(join(folder, '20260301T100000000Z-0123abcd.lock'), JSON.stringify(holder))
  const { close } = await startForwarding({ targets: [to('http://127.0.0.1:9/')], folder })
  await close()
  expect(await readdir(folder)).toEqual([])
})

test('creates the file again in an emptied folder', async () => {
  const target = await startTarget(() => undefined)
  const { forwarder, folder, news } = await startForwarding({ targets: [to(target.url)] })
  forward(forwarder, eventOf('c', 0))
  for (const file of await readdir(folder)) if (file.endsWith('.ndjson')) await rm(join(folder, file))
  forward(forwarder, eventOf('c', 1))
  const [file = ''] = (await readdir(folder)).filter(name => name.endsWith('.ndjson'))
  expect(await readFile(join(folder, file), 'utf8')).toContain('\\"number\\":1')
  expect(news).toEqual([])
  await rm(folder, { recursive: true })
  forward(forwarder, eventOf('c', 2))
  expect(news).toMatchObject([{ kind: 'forward-unkept', reason: expect.stringContaining('ENOENT') }])
  await until(() => target.arrivals.length === 1)
})

test('an event after the end does not go into a file that is opened then', async () => {
  const folder = await temporaryFolder()
  const target = await startTarget(() => undefined)
  const { forwarder, close } = await startForwarding({ targets: [to(target.url)], folder })
  forward(forwarder, eventOf('c', 0))
  await until(() => target.arrivals.length === 1)
  await close()
  const files = await Promise.all(numbers(20).map(number => open(join(folder, `${number}`), 'a')))
  forward(forwarder, eventOf('c', 1))
  for (const number of numbers(20)) expect(await readFile(join(folder, `${number}`), 'utf8')).toBe('')
  await Promise.all(files.map(file => file.close()))
})
