import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openTool } from '../../../src/sandbox/index.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import { refusingOrigin } from '../../helpers/ports.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { beginCall, createTool, recordOf, startTestSandbox } from '../../helpers/test-sandbox.ts'
import { gate, startToolServer, type ToolServerAnswer } from '../../helpers/tool-server.ts'
import { useTool } from './use-tool.ts'

const messages = [
  { type: 'request-start', content: 'One moment, {{name}}.' },
  { type: 'request-complete', content: 'Done.' },
  { type: 'request-failed', content: 'That did not work.' },
  { type: 'request-complete', content: 'Never said.' },
]

const booking = (server: unknown, fields: Record<string, unknown> = {}) => ({
  type: 'function',
  function: { name: 'book', description: 'Books', parameters: { type: 'object' } },
  messages,
  server,
  ...fields,
})

/** Calls the server of a tool once. */
async function callServer(server: Record<string, unknown>, given: Record<string, unknown> = {}) {
  const tool = openTool(booking(server))
  if (tool.unusable !== undefined) throw new Error(tool.unusable)
  const options = { clock: realClock, dryRun: false, signal: new AbortController().signal }
  const { outcome, messages } = await tool.run(given, options)
  return { ...outcome, said: messages.map(({ text }) => text) }
}

describe('the server', () => {
  test('gets the arguments with headers of its own, and its response goes to the model', async () => {
    const server = await startToolServer({ json: { booked: true } })
    const headers = { Authorization: 'Bearer k', 'Content-Type': 'text/x' }
    const day = { day: '2026-05-04' }
    const { content, failure, said } = await callServer({ url: `${server.url}?shop=1`, headers }, day)
    expect({ content, failure }).toEqual({ content: '{"booked":true}', failure: undefined })
    expect(said.at(-1)).toBe('Done.')
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/tool?shop=1',
        headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
        body: { message: { type: 'tool-call', toolCall: { name: 'book', arguments: day } } },
      },
    ])
  })

  test.each<[string, ToolServerAnswer, unknown]>([
    ['JSON of any type', { text: '{"free":[9,10]}', type: 'application/vnd.shop+json' }, { free: [9, 10] }],
    ['JSON that is called text', { text: ' "at nine" ' }, 'at nine'],
    ['plain text', { text: 'We have a table at nine.\n', type: 'text/plain' }, 'We have a table at nine.\n'],
    ['text in brackets', { text: '[booked] nine', type: 'text/html' }, '[booked] nine'],
    ['204', { status: 204 }, {}],
  ])('may respond with %s', async (_what, answer, content) => {
    const { url } = await startToolServer(answer)
    const called = await callServer({ url })
    expect(JSON.parse(called.content)).toEqual(content)
    expect(called.failure).toBeUndefined()
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
    ['hang', 'failed: no response within 0.2 s'],
  ])('fails with %j: %s', async (answer, reason) => {
    const server = await startToolServer(answer)
    const [origin] = server.url.split('/tool')
    const url = `${server.url.replace('//', '//me:secret@')}?token=secret`
    expect(await callServer({ url, timeoutSeconds: answer === 'hang' ? 0.2 : 20 })).toEqual({
      content: JSON.stringify({ error: `the tool's server ${reason}` }),
      failure: `tool book: its server ${reason} (${origin}/tool)`,
      said: [expect.stringContaining('One moment'), 'That did not work.'],
    })
    expect(server.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('me:secret').toString('base64')}`,
    )
  })

  test('fails where nothing listens, or something that speaks no HTTP', async () => {
    expect((await callServer({ url: await refusingOrigin() })).failure).toContain(
      'its server failed: connection refused',
    )
    const server = createTcpServer(socket => socket.end('220 mail.example.com ready\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address())
    expect((await callServer({ url: `http://127.0.0.1:${port}/` })).failure).toContain(
      'its server failed: the response is not HTTP',
    )
    server.close()
  })

  test('is not followed to another one', async () => {
    const elsewhere = await startToolServer()
    const { url } = await startToolServer({ status: 307, headers: { location: elsewhere.url } })
    expect((await callServer({ url })).failure).toContain('responded 307')
    expect(elsewhere.requests).toEqual([])
  })

  test('may compress its response, which is decoded up to the limit', async () => {
    const { origin } = await listenOnLoopback(
      createServer(({ url }, response) => {
        response.setHeader('content-encoding', 'gzip')
        response.end(url === '/plain' ? 'not compressed' : gzipSync('x'.repeat(Number(url?.slice(1)))))
      }),
    )
    const most = 1024 ** 2
    expect((await callServer({ url: `${origin}/${most}` })).content).toHaveLength(most + '""'.length)
    expect((await callServer({ url: `${origin}/${most + 1}` })).failure).toContain('more than 1 MB')
    expect((await callServer({ url: `${origin}/plain` })).content).toBe('"not compressed"')
  })
})

describe('in a call', () => {
  const variables = { assistantOverrides: { dynamicVariables: { name: 'Ada' } } }

  test('its server gets the call as it is then, and what is said is filled with variables', async () => {
    const server = await startToolServer({ json: {} })
    const { record, said, offered } = await useTool({
      use: ['book', { day: 'Friday' }],
      tools: [booking({ url: server.url })],
      fields: variables,
    })
    expect(offered).toEqual([{ name: 'book', description: 'Books', parameters: { type: 'object' } }])
    expect(said).toEqual(['One moment, Ada.', 'Done.', 'As you wish.'])
    expect(server.requests[0]?.body.message).toMatchObject({
      call: { id: record.id, status: 'ongoing' },
      customer: record.customer,
      toolCall: { id: 'call_book', name: 'book', arguments: { day: 'Friday' } },
    })
  })

  test.each([false, true])('a tool without a server fails for a model (async: %s)', async async => {
    const tools = [booking(undefined, { async })]
    const { record, toolCall, said } = await useTool({ use: ['book', {}], tools })
    expect(toolCall).toMatchObject({
      content: '{"error":"the tool has no server.url"}',
      failure: 'tool book has no server.url',
    })
    expect(record.failures).toMatchObject([{ part: 'tool', message: 'tool book has no server.url' }])
    expect(said).toEqual(['That did not work.', 'As you wish.'])
  })

  test('an asynchronous tool is accepted at once, and its result comes later', async () => {
    const accepted = gate()
    const server = await startToolServer({ json: { booked: 1 }, after: accepted.opened }, { status: 500 })
    const use = (onResult?: () => void) =>
      useTool({ use: ['book', {}], tools: [booking({ url: server.url }, { async: true })], onResult })
    const booked = await use(accepted.open)
    expect(booked.toolCall).toMatchObject({ content: '{"booked":1}' })
    expect(booked.said).toEqual(['One moment, {{name}}.', 'As you wish.', 'Done.'])
    const failed = await use()
    expect(failed.toolCall?.failure).toContain('responded 500')
    expect(failed.record.failures).toMatchObject([{ part: 'tool', message: failed.toolCall?.failure }])
    expect(failed.said.at(-1)).toBe('That did not work.')
  })

  test.each([false, true])(
    'the end of a call stops no request, and nothing is said after it (async: %s)',
    async async => {
      const answer = gate()
      const server = await startToolServer({ json: { booked: 1 }, after: answer.opened })
      const model = await startModelServer({ call: 'book', with: {} }, { say: 'It is on its way.' })
      const sandbox = await startTestSandbox({ llm: { url: model.url } })
      const { _id } = await createTool(sandbox, booking({ url: server.url }, { async }))
      const id = await beginCall(sandbox, {
        assistant: { assistantToolIds: [_id] },
        metadata: { caller: ['Please', '/say-nothing 60'] },
      })
      await server.received(1)
      await sandbox.send('POST', `/calls/v1/conversations/${id}/control`, { type: 'hangup' })
      answer.open()
      await sandbox.idle()
      const { messages, toolCalls } = await recordOf(sandbox, id)
      expect(toolCalls).toMatchObject([{ content: '{"booked":1}' }])
      expect(messages.map(({ text }) => text)).not.toContain('Done.')
    },
  )
})
