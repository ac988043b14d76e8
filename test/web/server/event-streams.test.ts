import { createServer } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import type { Batch, StreamOpened } from '../../../src/web/wire.ts'
import { conversationUpdate, message, statusUpdate } from '../../helpers/events.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { refusingOrigin } from '../../helpers/ports.ts'
import { type Frame, follow } from './follow-stream.ts'
import { openTailWithPage } from './tail-with-page.ts'

const isBatch = (test: (batch: Batch) => boolean) => (frame: Frame) =>
  frame.event === 'changes' && test(frame.data as Batch)

test('starts with everything, continues with changes, and ends with a summary', async () => {
  const { tailPage, post, origin } = await openTailWithPage({ eventPath: '/hook', requiredHeader: 'x-token' })
  await post(statusUpdate('c1', 'ongoing'))
  const stream = follow(`${origin}${tailPage.path}events`)
  const { data } = await stream.until(({ event }) => event === 'hello')
  const { run } = data as StreamOpened
  expect(data).toMatchObject({ eventPath: '/hook', stream: null, requiredHeader: 'x-token', targets: [] })
  await stream.until(isBatch(({ whole, calls }) => whole && calls[0]?.callId === 'c1'))
  await post(statusUpdate('c2', 'ongoing'))
  await stream.until(isBatch(({ whole, calls }) => !whole && calls.length === 1 && calls[0]?.callId === 'c2'))

  const selected = follow(`${origin}${tailPage.path}events?run=${run}&since=1&call=1`)
  await selected.until(
    isBatch(({ whole, calls, detail }) => !whole && calls.length === 1 && detail?.key === 1 && detail.whole),
  )
  await post(conversationUpdate('c1', message('m1', 'hello')))
  await selected.until(
    isBatch(({ detail }) => detail?.whole === false && detail.messages[0]?.text === 'hello'),
  )
  const long = 'long '.repeat(40_000)
  await post(conversationUpdate('c1', message('m1', 'hello!'), message('m2', long)))
  const { data: last } = await selected.until(isBatch(({ detail }) => detail?.messages.length === 2))
  const { detail } = last as Batch
  expect(detail).toMatchObject({
    messages: [
      { index: 0, text: 'hello!', cut: 0, edited: true },
      { index: 1, edited: false },
    ],
    events: [{ number: 3, news: 2 }],
    statuses: [],
  })
  const { text = '', cut = 0 } = detail?.messages[1] ?? {}
  expect(long.startsWith(text)).toBe(true)
  expect(text.length + cut).toBe(long.length)
  tailPage.close()
  await selected.until(({ event }) => event === 'ended')
})

test('keys and versions of another run are not taken for those of this one', async () => {
  const { tailPage, post, origin } = await openTailWithPage()
  await post(statusUpdate('c1', 'ongoing'))
  const stream = follow(`${origin}${tailPage.path}events?run=other&since=1&call=1`)
  const { data } = await stream.until(({ event }) => event === 'changes')
  expect(data).toMatchObject({ whole: true, calls: [{ callId: 'c1' }] })
  expect(data).not.toHaveProperty('detail')
})

test('rejects one page too many with the reason until another one closes', async () => {
  const { tailPage, ask, origin } = await openTailWithPage()
  const open = Array.from({ length: 32 }, () => follow(`${origin}${tailPage.path}events`))
  await Promise.all(open.map(({ until }) => until(({ event }) => event === 'hello')))
  for (const method of ['GET', 'HEAD'])
    expect(await ask(`${tailPage.path}events`, { method })).toMatchObject({ status: 503 })
  expect((await ask(`${tailPage.path}events`)).body).toBe('{"message":"too many pages are open"}')
  open[0]?.close()
  await expect.poll(async () => (await ask(`${tailPage.path}events`, { method: 'HEAD' })).status).toBe(200)
})

test('tells a page that loads while the tail ends', async () => {
  const { tailPage, ask } = await openTailWithPage()
  tailPage.close()
  expect(await ask(`${tailPage.path}events`)).toMatchObject({
    status: 200,
    body: 'event: ended\ndata: {}\n\n',
  })
})

test('a browser that does not read costs one batch, and gets the state when it reads again', async () => {
  const { tailPage, post, tail } = await openTailWithPage()
  const hello = await (async () => {
    const stream = follow(`http://127.0.0.1:${tail.port}${tailPage.path}events`)
    return (await stream.until(({ event }) => event === 'hello')).data as StreamOpened
  })()
  await post(statusUpdate('c1', 'ongoing'))
  const socket = connect(tail.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.pause()
  socket.write(
    `GET ${tailPage.path}events?run=${hello.run}&call=1 HTTP/1.1\r\nhost: 127.0.0.1:${tail.port}\r\n\r\n`,
  )
  // Far more than the buffers of a connection hold, and of one message: the state stays small.
  const other = follow(`http://127.0.0.1:${tail.port}${tailPage.path}events?run=${hello.run}&call=1`)
  let sent = 0
  for (let index = 0; index < 40; index++) {
    const words = `${index} ${'word '.repeat(3990)}`
    const messages = Array.from({ length: 40 }, (_, place) => message(`m${place}`, words))
    await post(conversationUpdate('c1', ...messages))
    await other.until(isBatch(({ version }) => version >= index + 2))
    sent += 40 * words.length
  }
  let received = ''
  const caughtUp = new Promise<void>(resolve => {
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      const from = Math.max(0, received.length - 100)
      received += chunk
      if (received.includes('"version":41,', from)) resolve()
    })
  })
  socket.resume()
  await caughtUp
  expect(sent).toBeGreaterThan(30_000_000)
  expect(received.length).toBeLessThan(sent / 2)
})

test('serves the body of an event unchanged, never as a page', async () => {
  const { tailPage, ask } = await openTailWithPage()
  const body = '{ "message": {"type":"x</script>",\t"n": 1.0e5} }\n'
  await ask('/', { method: 'POST', body, headers: { 'content-type': 'application/json; charset=utf-8' } })
  const answer = await ask(`${tailPage.path}body?call=1&event=1`)
  expect(answer).toMatchObject({
    status: 200,
    body,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="event-1.json"',
    },
  })
  for (const query of [
    'call=1&event=2',
    'call=2&event=1',
    'call=1',
    '',
    'call=-1&event=1',
    'call=constructor&event=1',
  ])
    expect(await ask(`${tailPage.path}body?${query}`)).toMatchObject({ status: 404 })
})

test('a resend is another attempt of the delivery, and its result counts', async () => {
  const statuses = [503, 200]
  const { origin: target } = await listenOnLoopback(
    createServer((request, response) => {
      request.resume()
      response.writeHead(statuses.shift() ?? 500).end()
    }),
  )
  const { tailPage, ask, origin } = await openTailWithPage({
    targets: [{ url: `${target}/`, type: undefined, headers: {} }],
  })
  const json = { 'content-type': 'application/json' }
  await ask('/', {
    method: 'POST',
    body: '{"message":{"type":"status-update","call":{"id":"c"}}}',
    headers: json,
  })
  const hello = await follow(`${origin}${tailPage.path}events`).until(({ event }) => event === 'hello')
  const { run } = z.object({ run: z.string() }).parse(hello.data)
  for (const [failedDeliveries, attempt, status] of [
    [1, 1, 503],
    [0, 2, 200],
  ]) {
    await ask(`${tailPage.path}resend?call=1&event=1`, { method: 'POST', headers: { origin, ...json } })
    const stream = follow(`${origin}${tailPage.path}events?run=${run}&call=1`)
    const { data } = await stream.until(({ event }) => event !== 'hello')
    expect(data).toMatchObject({
      calls: [{ failedDeliveries }],
      detail: { events: [{ deliveries: [{ target: 1, state: 'sent', attempt, status, again: false }] }] },
    })
  }
})

test('resends to the targets of the type and shows each response', async () => {
  const got: { url: string | undefined; body: string; token: unknown; type: unknown }[] = []
  const { origin: target } = await listenOnLoopback(
    createServer(async (request, response) => {
      const { 'x-token': token, 'content-type': type } = request.headers
      got.push({ url: request.url, body: await text(request), token, type })
      response.writeHead(request.url === '/broken' ? 500 : 201).end('noted')
    }),
  )
  const closed = await refusingOrigin()
  const { tailPage, ask, origin } = await openTailWithPage({
    targets: [
      { url: `${target}/all?token=hidden`, type: undefined, headers: { 'x-token': 's3cret' } },
      { url: `${target}/broken`, type: 'status-update', headers: {} },
      { url: `${closed}/gone?token=hidden`, type: 'status-update', headers: {} },
      { url: `${target}/other`, type: 'conversation-update', headers: {} },
    ],
  })
  const body = '{"message":{ "type":"status-update","call":{"id":"c","status":"ongoing"}}}'
  await ask('/', { method: 'POST', body, headers: { 'content-type': 'application/json; charset=utf-8' } })
  const answer = await ask(`${tailPage.path}resend?call=1&event=1`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
  })
  expect(JSON.parse(answer.body)).toEqual({
    results: [
      { url: `${target}/all`, outcome: { status: 201, body: 'noted', milliseconds: expect.any(Number) } },
      { url: `${target}/broken`, outcome: { status: 500, body: 'noted', milliseconds: expect.any(Number) } },
      {
        url: `${closed}/gone`,
        outcome: { reason: 'connection refused', unsent: true, milliseconds: expect.any(Number) },
      },
    ],
  })
  expect(got.sort((one, other) => (one.url ?? '').localeCompare(other.url ?? ''))).toEqual([
    { url: '/all?token=hidden', body, token: 's3cret', type: 'application/json; charset=utf-8' },
    { url: '/broken', body, token: undefined, type: 'application/json; charset=utf-8' },
  ])
  const { data } = await follow(`${origin}${tailPage.path}events`).until(({ event }) => event === 'hello')
  expect(JSON.stringify(data)).not.toContain('s3cret')
  // The query may be as secret: it is shown where the address leaves the page, for one target at a time.
  expect(JSON.stringify(data)).not.toContain('hidden')
  expect(data).toMatchObject({ targets: [{ number: 1, url: `${target}/all` }, {}, { number: 3 }, {}] })
  const address = (number: string) => ask(`${tailPage.path}address?target=${number}`)
  expect(JSON.parse((await address('1')).body)).toEqual({ url: `${target}/all?token=hidden` })
  for (const number of ['0', '5', '', '-1', 'constructor'])
    expect(await address(number)).toMatchObject({ status: 404 })
})
