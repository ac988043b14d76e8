import { expect, test } from 'vitest'
import { refusingOrigin } from '../../helpers/ports.ts'
import { place, startTestSandbox } from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

test('assistantServer.messages selects the types, enabled: false sends none', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const statusOnly = await place(sandbox, {
    assistant: { assistantServer: { url: sink.url, messages: ['status-update', 'other'] } },
  })
  expect(new Set(sink.of(statusOnly).map(({ type }) => type))).toEqual(new Set(['status-update']))
  const none = await place(sandbox, { assistant: { assistantServer: { url: sink.url, enabled: false } } })
  expect(sink.of(none)).toEqual([])
})

test('logs a receiver that rejects or redirects, sends everything once, and stops no call', async () => {
  const sandbox = await startTestSandbox()
  const elsewhere = await webhookSink()
  const sink = await webhookSink(count =>
    count % 2 === 0 ? { status: 500 } : { status: 307, headers: { location: elsewhere.url } },
  )
  const id = await place(sandbox, {
    assistant: {
      assistantServer: { url: `${sink.url}?token=s3cret`, headers: { 'Content-Type': 'text/plain', a: 'b' } },
    },
    metadata: { caller: ['One'] },
  })
  expect(sink.of(id)).toHaveLength(6)
  expect(elsewhere.received).toEqual([])
  expect(sink.received[0]?.headers['content-type']).toBe('application/json')
  const failures = sandbox.events.filter(({ kind }) => kind === 'delivery-failed')
  expect(failures).toHaveLength(6)
  expect(failures[0]).toEqual({
    kind: 'delivery-failed',
    callId: id,
    type: 'status-update',
    url: sink.url,
    reason: 'responded 307',
    answer: '{"message":"ok"}',
  })
  expect(sandbox.events).toContainEqual({ kind: 'call', callId: id, status: 'finished' })
})

test('a missing or silent receiver stops no call', async () => {
  const sandbox = await startTestSandbox()
  const silent = await webhookSink(() => 'hang')
  const [first, second] = await Promise.all([
    place(sandbox, { assistant: { assistantServer: { url: await refusingOrigin() } } }),
    place(sandbox, {
      assistant: { assistantServer: { url: silent.url, timeoutSeconds: 0.02, messages: ['status-update'] } },
    }),
  ])
  const reasons = (id: string | undefined) =>
    sandbox.events.flatMap(event =>
      event.kind === 'delivery-failed' && event.callId === id ? [event.reason] : [],
    )
  expect(reasons(first)[0]).toBe('connection refused')
  expect(reasons(second)).toEqual(Array(3).fill('no response within 0.02 seconds'))
})

test('a time of part of a millisecond is a time like any other', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const id = await place(sandbox, {
    assistant: { assistantServer: { url: sink.url, timeoutSeconds: 9.0005 } },
  })
  expect(sink.of(id).at(-1)?.call.status).toBe('finished')
  expect(sandbox.events.filter(({ kind }) => kind === 'delivery-failed')).toEqual([])
})

test.each([
  ['responded 204 instead of 200', { status: 204 }, ''],
  ['responded 201 instead of 200', { status: 201 }, '{"message":"ok"}'],
  ['responded without a JSON object that has a message', { status: 200, body: 'ok' }, 'ok'],
  ['responded without a JSON object that has a message', { status: 200, body: '' }, ''],
  [
    'responded without a JSON object that has a message',
    { status: 200, body: '{"message":1}' },
    '{"message":1}',
  ],
  ['responded without a JSON object that has a message', { status: 200, body: '["message"]' }, '["message"]'],
  [
    'responded without a JSON object that has a message',
    { status: 200, body: `😀${'x'.repeat(300_000)}` },
    `😀${'x'.repeat(199)}…`,
  ],
])('%#: matches a receiver that %s by call and response', async (reason, given, answer) => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink(() => given)
  const id = await place(sandbox, {
    assistant: { assistantServer: { url: `${sink.url}?token=s3cret` } },
    metadata: { caller: ['One', 'Two'] },
  })
  expect(sink.of(id).length).toBeGreaterThan(3)
  expect(sandbox.events.filter(({ kind }) => kind === 'wrong-answer' || kind === 'delivery-failed')).toEqual([
    { kind: 'wrong-answer', callId: id, type: 'status-update', url: sink.url, reason, answer },
  ])
})

test('does not report a receiver that follows interface.md 4.8', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink(() => ({ status: 200, body: '{ "message": "", "more": 1 }' }))
  await place(sandbox, { assistant: { assistantServer: { url: sink.url } } })
  expect(sandbox.events.map(({ kind }) => kind)).not.toContain('wrong-answer')
})
