import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { type Clock, startTimer } from '../../../src/lib/clock.ts'
import type { ToolDeps } from '../../../src/sandbox/tools/tools-of.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { gate, startToolServer, type ToolServerAnswer } from '../../helpers/tool-server.ts'
import { toolsOfCall } from './call-tools.ts'
import { toldBy, useTool } from './use-tool.ts'

const messages = [
  { type: 'request-start', content: 'One moment.' },
  { type: 'request-complete', content: 'Done.' },
  { type: 'request-failed', content: 'That did not work.' },
  { type: 'request-response-delayed', content: 'Still looking.', timingMilliseconds: 2000 },
  { type: 'request-response-delayed', content: 'It takes long today.' },
  { type: 'request-complete', content: 'Never said.' },
]

const booking = (server: unknown, fields: Record<string, unknown> = {}) => ({
  _id: 't1',
  type: 'function',
  function: { name: 'book', description: 'Books', parameters: { type: 'object', required: ['day'] } },
  messages,
  server,
  ...fields,
})

/** The call's time is this clock's. */
const inTimeOf = (clock: Clock): Partial<ToolDeps> => ({
  after: (milliseconds, onTime) => startTimer(milliseconds, onTime, clock),
})

const offer = (record: Record<string, unknown>, world: Parameters<typeof toolsOfCall>[1] = {}) =>
  toolsOfCall({ functionTools: [record] }, world)

test('calls its server with the call object and passes its response to the model', async () => {
  const server = await startToolServer({ json: { booked: true } })
  const { tool } = offer(
    booking({
      url: `${server.url}?shop=1`,
      headers: { Authorization: 'Bearer k', 'Content-Type': 'text/x' },
    }),
  )
  expect(tool('book')).toMatchObject({
    description: 'Books',
    parameters: { type: 'object', required: ['day'] },
  })
  const used = useTool(tool('book'), { day: '2026-05-04' }, { id: 'call_7' })
  expect(used.spoken).toEqual(['One moment.'])
  expect(await used.outcome).toEqual({ content: '{"booked":true}' })
  expect(used.spoken).toEqual(['One moment.', 'Done.'])
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      path: '/tool?shop=1',
      headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    },
  ])
  expect(server.requests[0]?.body).toEqual({
    message: {
      type: 'tool-call',
      call: { id: 'CC-1', status: 'ongoing' },
      customer: { number: '+12025550123' },
      toolCall: { id: 'call_7', name: 'book', arguments: { day: '2026-05-04' } },
    },
  })
})

test.each<[string, ToolServerAnswer, unknown]>([
  ['JSON of any type', { text: '{"free":[9,10]}', type: 'application/vnd.shop+json' }, { free: [9, 10] }],
  ['JSON that is called text', { text: ' "at nine" ' }, 'at nine'],
  ['plain text', { text: 'We have a table at nine.\n', type: 'text/plain' }, 'We have a table at nine.\n'],
  ['text in brackets', { text: '[booked] nine', type: 'text/html' }, '[booked] nine'],
  ['204', { status: 204 }, {}],
])('accepts %s as a response', async (_, answer, content) => {
  const server = await startToolServer(answer)
  const used = useTool(offer(booking({ url: server.url })).tool('book'))
  expect(await toldBy(used)).toEqual(content)
  expect((await used.outcome).failure).toBeUndefined()
  expect(used.spoken.at(-1)).toBe('Done.')
})

test.each<[ToolServerAnswer, string]>([
  [{ status: 503 }, 'responded 503'],
  [{ status: 404 }, 'responded 404'],
  [{ status: 200 }, 'responded 200 with an empty body'],
  [{ text: '<html>Sign in</html>', type: 'text/html' }, 'responded 200 with a page'],
  [{ text: '{"booked":', type: 'application/json' }, 'responded 200 with broken JSON'],
  ['reset', 'failed: the connection was reset'],
  ['break-off', 'failed: the connection was closed before the response was complete'],
  ['endless', 'responded with more than 1 MB'],
  ['hang', 'failed: no response within 0.2 seconds'],
])('a response %j is a failure: %s', async (answer, reason) => {
  const server = await startToolServer(answer)
  const [origin] = server.url.split('/tool')
  const url = `${server.url.replace('//', '//me:secret@')}?token=secret`
  const timeoutSeconds = answer === 'hang' ? 0.2 : 20
  const used = useTool(offer(booking({ url, timeoutSeconds })).tool('book'))
  const { content, failure } = await used.outcome
  expect(JSON.parse(content)).toEqual({ error: `the tool's server ${reason}` })
  expect(failure).toBe(`tool book: its server ${reason} (${origin}/tool)`)
  expect(used.spoken).toEqual(['One moment.', 'That did not work.'])
  expect(server.requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('me:secret').toString('base64')}`,
  )
})

test('a missing server is a failure', async () => {
  const server = await startToolServer()
  await server.close()
  const { failure } = await useTool(offer(booking({ url: server.url })).tool('book')).outcome
  expect(failure).toContain('tool book: its server failed: connection refused')
})

test('a server that speaks no HTTP is a failure', async () => {
  const server = createServer(socket => socket.end('220 mail.example.com ready\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const used = useTool(offer(booking({ url: `http://127.0.0.1:${port}/` })).tool('book'))
  expect((await used.outcome).failure).toContain('tool book: its server failed: the response is not HTTP')
  server.close()
})

test('follows no redirect', async () => {
  const elsewhere = await startToolServer({ json: {} })
  const server = await startToolServer({ status: 307, headers: { location: elsewhere.url } })
  const { failure } = await useTool(offer(booking({ url: server.url })).tool('book')).outcome
  expect(failure).toContain('responded 307')
  expect(elsewhere.requests).toEqual([])
})

test.each([
  [undefined, 'has no server.url'],
  [{ headers: {} }, 'has no server.url'],
  [{ url: 'ftp://x/' }, 'has a server.url that is no http:// or https:// URL'],
  [{ url: 'http://127.0.0.1:1/', headers: { day: 1 } }, 'has server.headers that are no object of texts'],
  [
    { url: 'http://127.0.0.1:1/', timeoutSeconds: 0 },
    'has a server.timeoutSeconds that is no positive number',
  ],
])('cannot be called with the server %j', async (server, fault) => {
  for (const async of [false, true]) {
    const used = useTool(offer(booking(server, { async })).tool('book'))
    expect(await used.outcome).toEqual({
      content: JSON.stringify({ error: `the tool ${fault}` }),
      failure: `tool book ${fault}`,
    })
    expect(used.spoken).toEqual(['That did not work.'])
    expect(used.later).toEqual([])
  }
})

test('adds tool delays to the call’s time, and speaks none after the result', async () => {
  const answer = gate()
  const server = await startToolServer({ json: {}, after: answer.opened })
  const clock = manualClock()
  const used = useTool(offer(booking({ url: server.url }), inTimeOf(clock)).tool('book'))
  await server.received(1)
  await clock.advance(1999)
  expect(used.spoken).toEqual(['One moment.'])
  await clock.advance(1)
  expect(used.spoken).toEqual(['One moment.', 'Still looking.'])
  await clock.advance(999)
  answer.open()
  await used.outcome
  await clock.advance(10_000)
  expect(used.spoken).toEqual(['One moment.', 'Still looking.', 'Done.'])
})

test('an asynchronous tool is accepted at once, and speaks later', async () => {
  const answer = gate()
  const server = await startToolServer({ json: { booked: 1 }, after: answer.opened }, { status: 500 })
  const clock = manualClock()
  const { tool } = offer(booking({ url: server.url }, { async: true }), inTimeOf(clock))
  const used = useTool(tool('book'))
  expect(await used.outcome).toEqual({ content: '{"status":"accepted"}' })
  expect(used.later).toHaveLength(1)
  await server.received(1)
  await clock.advance(2000)
  expect(used.spoken).toEqual(['One moment.', 'later: Still looking.'])
  answer.open()
  expect(await used.later[0]).toEqual({ content: '{"booked":1}' })
  expect(used.spoken).toEqual(['One moment.', 'later: Still looking.', 'later: Done.'])

  const failing = useTool(tool('book'))
  expect((await failing.later[0])?.failure).toContain('responded 500')
  expect(failing.spoken).toEqual(['One moment.', 'later: That did not work.'])
})

test.each([false, true])('the end of a call stops no request (async: %s)', async async => {
  const answer = gate()
  const server = await startToolServer({ json: { booked: 1 }, after: answer.opened })
  const over = new AbortController()
  const clock = manualClock()
  const { tool } = offer(booking({ url: server.url }, { async }), inTimeOf(clock))
  const used = useTool(tool('book'), {}, { signal: over.signal })
  await server.received(1)
  over.abort()
  await clock.advance(5000)
  answer.open()
  expect(await (used.later[0] ?? used.outcome)).toEqual({ content: '{"booked":1}' })
  expect(used.spoken).toEqual(['One moment.'])
})

test('a stopping sandbox aborts its work and sends no more requests', async () => {
  const server = await startToolServer('hang')
  const { tool, sender } = offer(booking({ url: server.url }))
  const used = useTool(tool('book'))
  await server.received(1)
  sender.giveUp('the sandbox stopped')
  const stopped = 'its server failed: the sandbox stopped'
  expect((await used.outcome).failure).toContain(stopped)
  expect((await useTool(tool('book')).outcome).failure).toContain(stopped)
  expect(server.requests).toHaveLength(1)
})

test('a server that hangs holds up no other one', async () => {
  const hanging = await startToolServer('hang')
  const server = await startToolServer(({ body }) => ({ json: { id: body.message.toolCall.id } }))
  const { tool } = toolsOfCall({
    functionTools: [
      booking({ url: hanging.url }, { function: { name: 'hang' } }),
      booking({ url: server.url }),
    ],
  })
  const ids = Array.from({ length: 200 }, (_, index) => `run-${index}`)
  for (const id of ids) useTool(tool('hang'), {}, { id })
  const answers = await Promise.all(ids.map(id => toldBy(useTool(tool('book'), {}, { id }))))
  expect(answers).toEqual(ids.map(id => ({ id })))
  expect(hanging.requests.length).toBeLessThanOrEqual(64)
})
