import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../helpers/folders.ts'
import { holding, startTarget } from '../../helpers/target-server.ts'
import {
  awhile,
  eventOf,
  forward,
  idOf,
  numbers,
  numbersOf,
  startForwarding,
  to,
  until,
} from './forwarding.ts'

const bodies = [
  '{"message":{"type":"a"}}',
  ' {"message":\r\n{"type":"a","text":"\ufeff grün 👩‍👩‍👧 \\ud83d \u2028 \u0085 \\u0000"}}\n',
  `{"message":{"type":"a","padding":"${'ä'.repeat(200_000)}"}}`,
]

test.each([
  ['from memory', undefined],
  ['from the disk', 0],
])('a body arrives byte for byte with its content type, %s', async (_, maxMemory) => {
  const target = await startTarget()
  const { forwarder, folder } = await startForwarding({
    targets: [to(target.url)],
    ...(maxMemory === undefined ? {} : { maxMemory }),
  })
  const types = ['application/json; charset=utf-8', 'text/plain;x="ü\tä"', 'application/cloudevents+json', '']
  for (const body of bodies) {
    for (const type of types) {
      forward(forwarder, eventOf('c', 0), { body: Buffer.from(body), headers: { 'content-type': type } })
    }
  }
  await until(() => forwarder.left === 0)
  expect(target.arrivals.map(({ body, headers }) => [body.toString(), headers['content-type']])).toEqual(
    bodies.flatMap(body => types.map(type => [body, type])),
  )
  expect(await forwarder.close(1000)).toMatchObject({
    targets: [{ delivered: 12, failed: 0, undelivered: 0 }],
  })
  expect(await readdir(folder)).toEqual([])
})

test('an event without a content type goes out as JSON', async () => {
  const target = await startTarget()
  const { forwarder } = await startForwarding({ targets: [to(target.url)] })
  forward(forwarder, eventOf('c', 0), { headers: {} })
  await until(() => forwarder.left === 0)
  expect(target.arrivals[0]?.headers['content-type']).toBe('application/json')
})

test('headers of the sender go out with it, except those of its connection; ours win', async () => {
  const target = await startTarget()
  const { forwarder } = await startForwarding({
    targets: [to(`${target.url}?token=s3cret`, undefined, { authorization: 'Bearer ours', 'x-a': '1' })],
  })
  forward(forwarder, eventOf('c', 0), {
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer theirs',
      'x-request-id': '7',
      host: 'tail.example.com',
      'transfer-encoding': 'chunked',
      'content-encoding': 'gzip',
      connection: 'close',
    },
  })
  await until(() => forwarder.left === 0)
  const [arrival] = target.arrivals
  expect(arrival?.path).toBe('/hook?token=s3cret')
  expect(arrival?.headers).toMatchObject({ authorization: 'Bearer ours', 'x-a': '1' })
  expect(arrival?.headers.host).toBe(new URL(target.url).host)
  expect(arrival?.headers).toMatchObject({ 'content-type': 'application/json', 'content-encoding': 'gzip' })
  expect(arrival?.headers).toMatchObject({ 'x-request-id': '7' })
  expect(arrival?.headers).not.toHaveProperty('transfer-encoding')
})

test('reports a redirect without following it', async () => {
  const elsewhere = await startTarget()
  const target = await startTarget(response =>
    response.writeHead(307, { location: elsewhere.url }).end('moved'),
  )
  const { forwarder, news } = await startForwarding({ targets: [to(`${target.url}?token=s3cret`)] })
  forward(forwarder, eventOf('c7', 0))
  await until(() => forwarder.left === 0)
  expect(news).toEqual([
    {
      kind: 'forward-failed',
      target: target.url,
      callId: 'c7',
      type: 'status-update',
      at: expect.stringMatching(/^2026-03-01T10:00:.*Z$/),
      status: 307,
      milliseconds: expect.any(Number),
      body: 'moved',
    },
  ])
  expect(elsewhere.arrivals).toEqual([])
})

test('sends each target the events of its type, and a slow one delays no other', async () => {
  const answer = holding()
  const slow = await startTarget(answer)
  const statuses = await startTarget()
  const all = await startTarget()
  const { forwarder } = await startForwarding({
    targets: [to(slow.url), to(statuses.url, 'status-update'), to(all.url)],
  })
  for (const number of numbers(20)) {
    forward(forwarder, eventOf('c', number, { type: number % 2 === 0 ? 'status-update' : 'other' }))
  }
  await until(() => all.arrivals.length === 20 && statuses.arrivals.length === 10)
  expect(numbersOf(all.arrivals)).toEqual(numbers(20))
  expect(numbersOf(statuses.arrivals)).toEqual(numbers(10).map(number => number * 2))
  await until(
    () => slow.arrivals.length === 20,
    () => answer.release(),
  )
  answer.release()
  expect(numbersOf(slow.arrivals)).toEqual(numbers(20))
})

test('does not store an event that no target receives', async () => {
  const target = await startTarget()
  const { forwarder, folder } = await startForwarding({ targets: [to(target.url, 'status-update')] })
  forward(forwarder, eventOf('c', 0, { type: 'other' }))
  expect(forwarder.left).toBe(0)
  expect((await readdir(folder)).filter(name => name.endsWith('.ndjson'))).toEqual([])
})

test('with onlyNew, does not send or queue an event without anything new', async () => {
  const target = await startTarget()
  const { forwarder, folder } = await startForwarding({ targets: [to(target.url)], onlyNew: true })
  for (const number of numbers(6)) forward(forwarder, eventOf('c', number), { isNew: number % 3 === 0 })
  await until(() => forwarder.left === 0)
  expect(numbersOf(target.arrivals)).toEqual([0, 3])
  expect(await forwarder.close(1000)).toMatchObject({ targets: [{ delivered: 2 }] })
  expect(await readdir(folder)).toEqual([])
})

test('runs one request for each of sixty-four concurrent calls', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const { forwarder } = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(300)) forward(forwarder, eventOf(`c${number % 100}`, number))
  await until(() => target.arrivals.length === 64)
  await awhile()
  expect(target.arrivals).toHaveLength(64)
  const first = target.arrivals.map(arrival => idOf(arrival).callId)
  expect(new Set(first).size).toBe(64)
  await until(
    () => forwarder.left === 0,
    () => answer.release(1),
  )
  expect(target.mostAtOnce).toBe(64)
  for (const call of numbers(100)) {
    const ofCall = numbersOf(target.arrivals).filter(number => number % 100 === call)
    expect(ofCall).toEqual([call, call + 100, call + 200])
  }
})

test('keeps waiting events in files of mode 0600 in a folder of mode 0700, with what is sent, but not the secrets of targets', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const { host } = new URL(target.url)
  const url = `http://user:passw0rd@${host}/hook?token=qu3ry`
  const { forwarder, folder } = await startForwarding({
    targets: [to(url, undefined, { 'x-secret': 'h3ader' })],
  })
  forward(forwarder, eventOf('c', 1), {
    headers: { 'content-type': 'application/json', authorization: 's3nder' },
  })
  await until(() => target.arrivals.length === 1)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  const files = (await readdir(folder)).filter(name => name.endsWith('.ndjson'))
  expect(files).toHaveLength(1)
  for (const file of files) {
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
    const content = await readFile(join(folder, file), 'utf8')
    expect(content).toContain(`http://${host}/hook`)
    for (const secret of ['passw0rd', 'qu3ry', 'h3ader']) expect(content).not.toContain(secret)
    expect(content).toContain('s3nder')
  }
})

test('a folder that cannot be used is wrong usage', async () => {
  const path = join(await temporaryFolder(), 'file')
  await writeFile(path, '')
  await expect(startForwarding({ folder: path })).rejects.toMatchObject({ kind: 'usage' })
})
