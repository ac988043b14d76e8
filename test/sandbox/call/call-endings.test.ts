import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { manualClock } from '../../helpers/manual-clock.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import {
  beginCall,
  createTool,
  from,
  placeCall,
  recordOf,
  startTestSandbox,
  to,
} from '../../helpers/test-sandbox.ts'
import { gate, startToolServer } from '../../helpers/tool-server.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

test('rejects a call that is placed while the sandbox closes, without waiting for it', async () => {
  const opened = gate()
  const tools = await startToolServer({ json: {}, after: opened.opened })
  const model = await startModelServer({ call: 'book', with: {} }, { say: 'Done.' })
  const sandbox = await startTestSandbox({ llm: { url: model.url } })
  const { _id } = await createTool(sandbox, { server: { url: tools.url } })
  await beginCall(sandbox, { assistant: { assistantToolIds: [_id] }, metadata: { caller: ['Book it'] } })
  await tools.received(1)

  const text = JSON.stringify({ userNumber: to, assistantNumber: from, assistant: {} })
  const socket = connect(sandbox.port, '127.0.0.1')
  await once(socket, 'connect')
  const head = `POST /calls/v1/conversations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${sandbox.apiKey}\r\n`
  const length = `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`
  socket.write(head + length + text.slice(0, 20))
  // Another request got a response, so the first one is being read.
  await sandbox.send('GET', '/calls/v1/conversations/CC-0/control')
  const closed = sandbox.close()
  socket.write(text.slice(20))
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 503 /)
  socket.destroy()
  opened.open()
  await closed
})

test('closing ends running calls and sends their last status', async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox({ clock: manualClock(), pace: 1 })
  const id = await beginCall(sandbox, { assistant: { assistantServer: { url: sink.url } } })
  await sandbox.close()
  const told = sink.of(id).map(({ call }) => `${call.status} ${call.callEndTriggerBy ?? ''}`)
  expect(told).toEqual(['queued ', 'finished system'])
})

test('closing waits five seconds for tools, analyses and receivers that hang', async () => {
  const [silent, server, model] = await Promise.all([
    webhookSink(() => 'hang'),
    startToolServer('hang'),
    startModelServer('hang'),
  ])
  const sandbox = await startTestSandbox()
  const { _id } = await createTool(sandbox, { async: true, server: { url: server.url } })
  const assistants = [
    { assistantServer: { url: silent.url } },
    { assistantToolIds: [_id] },
    {
      assistantProvider: 'custom-llm',
      assistantLLMUrl: model.url,
      assistantAnalysis: { summary: { enabled: true } },
    },
  ]
  for (const assistant of assistants)
    await beginCall(sandbox, {
      assistant,
      metadata: { caller: [assistant === assistants[1] ? 'Book it' : '/hangup'] },
    })
  await Promise.all([server.received(1), model.received(1)])
  await expect.poll(silent.most).toBe(1)
  await sandbox.close()
  const reasons = sandbox.events.flatMap(event =>
    event.kind === 'warning' ? [event.message] : event.kind === 'delivery-failed' ? [event.reason] : [],
  )
  expect(new Set(reasons)).toEqual(
    new Set([
      'the sandbox stopped before it was sent',
      expect.stringMatching(/^tool book: its server failed: the sandbox stopped/),
      'the summary is missing: the sandbox stopped',
    ]),
  )
  expect(server.requests).toHaveLength(1)
})

test('a call that fails ends like any other and affects no other call', async () => {
  const sink = await webhookSink()
  let broken: string | undefined
  const sandbox = await startTestSandbox({
    observe({ kind, callId }) {
      if (kind !== 'message' || (broken ?? callId) !== callId) return
      broken = callId
      throw new Error('a fault of our own')
    },
  })
  const assistant = { welcomeMessage: 'Welcome.', assistantServer: { url: sink.url } }
  const first = await placeCall(sandbox, { assistant, metadata: { caller: ['Hello'] } })
  const second = await placeCall(sandbox, { assistant, metadata: { caller: ['Hello'] } })
  expect(sink.of(first).at(-1)?.call).toMatchObject({ status: 'finished', callEndTriggerBy: 'system' })
  expect(sink.of(second).at(-1)?.call).toMatchObject({ status: 'finished', callEndTriggerBy: 'user' })
  expect(sandbox.events).toContainEqual({
    kind: 'warning',
    callId: first,
    message: expect.stringContaining('a fault of our own'),
  })
})

test('the last webhook lists what the analysis lacks, as the record does', async () => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox()
  const schema = {
    type: 'object',
    properties: { day: { type: 'string', format: 'date' } },
    required: ['day'],
  }
  const assistant = {
    assistantServer: { url: sink.url },
    assistantAnalysis: { structuredData: { enabled: true, schema } },
  }
  const id = await placeCall(sandbox, { assistant, metadata: { caller: ['Hello'] } })
  const failures = [{ part: 'analysis', message: expect.stringContaining('day') }]
  expect(sink.of(id).at(-1)).toMatchObject({ type: 'status-update', failures })
  expect((await recordOf(sandbox, id)).failures).toMatchObject(failures)
  expect(sink.of(id).filter(message => 'failures' in message)).toHaveLength(1)
})
