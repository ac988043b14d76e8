import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createWorldStreams } from '../../../src/sandbox/http/control-routes.ts'
import { callTo, paths, startTestSandbox, tool } from '../../helpers/test-sandbox.ts'

const { calls: startCall, tools } = paths

type Controlled = Awaited<ReturnType<typeof startTestSandbox>>

/** The stream of a world's events; closed when the test ends. */
async function open({ baseUrl, controlToken }: Controlled, query = ''): Promise<IncomingMessage> {
  const request = get(`${baseUrl}/__sandbox/events${query}`, {
    headers: { authorization: `Bearer ${controlToken}` },
    agent: false,
  })
  onTestFinished(() => void request.destroy())
  const [response]: IncomingMessage[] = await once(request, 'response')
  if (response === undefined) throw new Error('no answer')
  response.on('error', () => undefined)
  return response
}

function framesOf(response: IncomingMessage) {
  let text = ''
  response.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  return () =>
    text.split('\n\n').flatMap(frame => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
      return event === undefined ? [] : [{ event, data: JSON.parse(data ?? '') }]
    })
}

test('streams the events of a world as they happen', async () => {
  const sandbox = await startTestSandbox()
  const response = await open(sandbox)
  expect(response.headers['content-type']).toBe('text/event-stream')
  const frames = framesOf(response)
  await sandbox.send('POST', tools, tool)
  await sandbox.send('POST', startCall, callTo())
  await sandbox.idle()
  await sandbox.control('POST', 'faults', { drop: 1 })
  await sandbox.control('POST', 'clock', { pace: 2 })
  await sandbox.control('POST', 'reset')
  await expect.poll(() => frames().at(-1)?.event).toBe('reset')
  const seen = frames()
  expect(seen[0]).toMatchObject({
    event: 'request',
    data: { request: { method: 'POST', path: tools, status: 200 } },
  })
  expect(seen[0]?.data.request).not.toHaveProperty('body')
  const statuses = seen.flatMap(({ data }) => data.observation?.status ?? [])
  expect(statuses).toEqual(['queued', 'ongoing', 'finished'])
  expect(new Set(seen.map(({ event }) => event))).toEqual(
    new Set(['request', 'call', 'faults', 'clock', 'reset']),
  )
})

test('a world streams only its own events, and its end ends the stream', async () => {
  const sandbox = await startTestSandbox()
  const { body } = await sandbox.control('POST', 'worlds')
  const response = await open(sandbox, `?world=${body.teamId}`)
  const frames = framesOf(response)
  await sandbox.send('POST', tools, tool)
  const ended = once(response, 'end')
  await sandbox.control('DELETE', `worlds/${body.teamId}`)
  await ended
  expect(frames().map(({ event }) => event)).toEqual(['closed'])
})

test('for a reader that does not read the stream ends, and holds no more than its bound', async () => {
  const sandbox = await startTestSandbox()
  const response = await open(sandbox)
  const path = `/${'x'.repeat(10_000)}`
  for (let sent = 0; sent < 1500; sent += 1) sandbox.first.requests.begin(head(path)).answered(404, '')
  const frames = framesOf(response)
  await once(response, 'end')
  expect(frames().length).toBeGreaterThan(50)
  expect(frames().length).toBeLessThan(150)
  const again = await open(sandbox)
  const next = framesOf(again)
  await sandbox.control('POST', 'reset')
  await expect.poll(() => next().at(-1)?.event).toBe('reset')
})

test('a HEAD of the stream follows nothing', async () => {
  const sandbox = await startTestSandbox()
  const { subscribe } = sandbox.first
  let following = 0
  const counted: typeof subscribe = onEvent => {
    const unsubscribe = subscribe(onEvent)
    following += 1
    return () => {
      following -= 1
      unsubscribe()
    }
  }
  Object.assign(sandbox.first, { subscribe: counted })
  const headers = { authorization: `Bearer ${sandbox.controlToken}` }
  const { status } = await fetch(`${sandbox.baseUrl}/__sandbox/events`, { method: 'HEAD', headers })
  expect(status).toBe(200)
  expect(following).toBe(0)
})

test('allows a hundred open streams over all worlds, and rejects the next one until one closes', async () => {
  const sandbox = await startTestSandbox()
  const { body } = await sandbox.control('POST', 'worlds')
  const streams = await Promise.all(
    Array.from({ length: 100 }, (_, index) => open(sandbox, index % 2 === 0 ? '' : `?world=${body.teamId}`)),
  )
  expect(streams.map(({ statusCode }) => statusCode)).toEqual(Array(100).fill(200))
  const refused = await sandbox.control('GET', 'events')
  expect(refused).toMatchObject({
    status: 429,
    body: { detail: '100 streams of events are open', hint: 'close one of them' },
  })
  streams[0]?.destroy()
  await expect.poll(async () => (await open(sandbox)).statusCode).toBe(200)
  expect((await sandbox.control('GET', 'events')).status).toBe(429)
  const ended = Promise.all(
    streams.flatMap((stream, index) => (index % 2 === 1 ? [once(stream.resume(), 'end')] : [])),
  )
  await sandbox.control('DELETE', `worlds/${body.teamId}`)
  await ended
  for (let opened = 0; opened < 50; opened += 1) expect((await open(sandbox)).statusCode).toBe(200)
  expect((await sandbox.control('GET', 'events')).status).toBe(429)
})

test('a stream that ended as its reader did not read, and whose reader leaves then, makes room for one', async () => {
  const { first } = await startTestSandbox()
  const openStream = createWorldStreams()
  const openAll = () => Array.from({ length: 100 }, () => openStream(first))
  const streams = openAll()
  for (let sent = 0; sent < 200; sent += 1)
    first.requests.begin(head(`/${'x'.repeat(10_000)}`)).answered(404, '')
  for (const { body } of streams) await body?.cancel()
  openAll()
  expect(() => openStream(first)).toThrow('100 streams of events are open')
})

test('a stream does not keep the sandbox from closing', async () => {
  const sandbox = await startTestSandbox()
  const response = await open(sandbox)
  response.resume()
  const ended = once(response, 'close')
  await sandbox.close()
  await ended
})

function head(path: string) {
  return { at: '2026-01-01T00:00:00.000Z', requestId: 'r', method: 'GET', path, headers: {} }
}
