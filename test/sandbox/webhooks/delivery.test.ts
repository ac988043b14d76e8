import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { WebhookFaultName } from '../../../src/files/formats/fault-names.ts'
import { createDeferred } from '../../../src/lib/queue.ts'
import type { SandboxEvent } from '../../../src/sandbox/index.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { refusingOrigin } from '../../helpers/ports.ts'
import {
  beginCall,
  openTestWorld,
  placeCall,
  recordOf,
  startTestSandbox,
  type TestSandbox,
  talkIn,
} from '../../helpers/test-sandbox.ts'
import { type WebhookSink, webhookSink } from '../../helpers/webhook-sink.ts'

const statusOnly = { messages: ['status-update'] }

/** A call to an assistant whose webhooks go to a server. */
const callTo = (sandbox: TestSandbox, assistantServer: object, caller = ['One']) =>
  placeCall(sandbox, { assistant: { assistantServer }, metadata: { caller } })

const statusesOf = (sink: WebhookSink, id: string) => sink.of(id).map(({ call }) => call.status)
const logOf = ({ events }: TestSandbox, ...kinds: readonly string[]) =>
  events.filter(({ kind }) => kinds.includes(kind))

test('sends the types of assistantServer.messages, and none if enabled is false', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const some = await callTo(sandbox, { url: sink.url, messages: ['status-update', 'other'] })
  expect(statusesOf(sink, some)).toEqual(['queued', 'ongoing', 'finished'])
  const none = await callTo(sandbox, { url: sink.url, enabled: false })
  expect(sink.of(none)).toEqual([])
})

test('logs a receiver that rejects or redirects, sends everything once, and stops no call', async () => {
  const sandbox = await startTestSandbox()
  const elsewhere = await webhookSink()
  const sink = await webhookSink(count =>
    count % 2 === 0 ? { status: 500 } : { status: 307, headers: { location: elsewhere.url } },
  )
  const headers = { 'Content-Type': 'text/plain', a: 'b' }
  const url = `${sink.url.replace('//', '//ada:p%40ss@')}?token=s3cret`
  const id = await callTo(sandbox, { url, headers })
  expect(sink.of(id)).toHaveLength(6)
  expect(elsewhere.received).toEqual([])
  expect(sink.received[0]?.headers).toMatchObject({
    a: 'b',
    'content-type': 'application/json',
    authorization: `Basic ${btoa('ada:p@ss')}`,
  })
  const failures = logOf(sandbox, 'delivery-failed')
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
    callTo(sandbox, { url: await refusingOrigin() }),
    callTo(sandbox, { url: silent.url, timeoutSeconds: 0.0205, ...statusOnly }),
  ])
  const reasons = (id: string) =>
    sandbox.events.flatMap(event =>
      event.kind === 'delivery-failed' && event.callId === id ? [event.reason] : [],
    )
  expect(reasons(first)[0]).toBe('connection refused')
  expect(reasons(second)).toEqual(Array(3).fill('no response within 21 ms'))
})

test('a receiver that hangs gets at most 64 requests at a time, and delays no other one', async () => {
  const sandbox = await startTestSandbox()
  const silent = await webhookSink(() => 'hang')
  const sink = await webhookSink()
  for (let placed = 0; placed < 70; placed += 1)
    await beginCall(sandbox, { assistant: { assistantServer: { url: silent.url, timeoutSeconds: 300 } } })
  await expect.poll(silent.most).toBe(64)
  const id = await beginCall(sandbox, { assistant: { assistantServer: { url: sink.url, ...statusOnly } } })
  await expect.poll(() => statusesOf(sink, id).at(-1)).toBe('finished')
  expect(silent.most()).toBe(64)
  await sandbox.first.reset()
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
])('%#: a receiver that %s is logged once for each call', async (reason, given, answer) => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink(() => given)
  const id = await callTo(sandbox, { url: `${sink.url}?token=s3cret` }, ['One', 'Two'])
  expect(sink.of(id).length).toBeGreaterThan(3)
  expect(logOf(sandbox, 'wrong-answer', 'delivery-failed')).toEqual([
    { kind: 'wrong-answer', callId: id, type: 'status-update', url: sink.url, reason, answer },
  ])
})

test('a receiver that follows interface.md 4.8 is not logged', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink(() => ({ status: 200, body: '{ "message": "", "more": 1 }' }))
  await callTo(sandbox, { url: sink.url })
  expect(logOf(sandbox, 'wrong-answer', 'delivery-failed')).toEqual([])
})

describe('with the fault', () => {
  test.each<[WebhookFaultName, readonly string[], number, readonly number[]]>([
    ['duplicate', ['queued', 'queued', 'ongoing', 'ongoing', 'finished', 'finished'], 0, [0, 1, 2]],
    ['reorder', ['ongoing', 'queued', 'finished'], 0, [0]],
    ['delay', ['queued', 'ongoing', 'finished'], 0, [0, 1, 2]],
    ['drop', [], 0, [0, 1, 2]],
    ['disconnect', [], 3, [0, 1, 2]],
  ])('%s a receiver sees %j', async (fault, statuses, brokenOff, indices) => {
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ webhookFaults: { [fault]: 1 } })
    const callId = await callTo(sandbox, { url: sink.url, ...statusOnly })
    await expect.poll(sink.brokenOff).toBe(brokenOff)
    expect(statusesOf(sink, callId)).toEqual(statuses)
    expect(logOf(sandbox, 'fault')).toEqual(
      indices.map(index => ({ kind: 'fault', fault, callId, type: 'status-update', index })),
    )
    expect(logOf(sandbox, 'delivery-failed')).toEqual([])
    expect(await recordOf(sandbox, callId)).toMatchObject({ status: 'completed' })
  })

  test('reorder the only webhook of a call is sent at its end, though the last status is not wanted', async () => {
    const sink = await webhookSink()
    const sandbox = await startTestSandbox({ webhookFaults: { reorder: 1 } })
    const id = await beginCall(sandbox, {
      assistant: {
        welcomeMessage: 'Hello.',
        assistantServer: { url: sink.url, messages: ['conversation-update'] },
      },
      metadata: { caller: [] },
    })
    await expect.poll(() => statusesOf(sink, id)).toEqual(['ongoing'])
  })

  test('delay a sandbox that closes waits no longer, and still sends', async () => {
    const sink = await webhookSink()
    // A thousand times slower than real time: the delays last for minutes.
    const sandbox = await startTestSandbox({ webhookFaults: { delay: 1 }, pace: 0.001 })
    const id = await beginCall(sandbox, { assistant: { assistantServer: { url: sink.url } } })
    await sandbox.close()
    expect(statusesOf(sink, id)).toEqual(['queued', 'finished'])
  })

  test('disconnect a receiver that is not there is logged without secrets', async () => {
    const origin = await refusingOrigin()
    const sandbox = await startTestSandbox({ webhookFaults: { disconnect: 1 } })
    const headers = { 'x-key': 's3cret' }
    const id = await callTo(sandbox, { url: `${origin}/hook?token=s3cret`, headers, ...statusOnly })
    const failed = { kind: 'delivery-failed', callId: id, type: 'status-update', url: `${origin}/hook` }
    expect(logOf(sandbox, 'delivery-failed')).toEqual(
      Array(3).fill({ ...failed, reason: 'connection refused' }),
    )
    expect(JSON.stringify(sandbox.events)).not.toContain('s3cret')
  })

  test.each([2, 100, 64 * 1024, 2 * 1024 ** 2, 9 * 1024 ** 2])(
    'disconnect a receiver gets the first half of a body of at least %d bytes',
    async size => {
      const bodies: { readonly length: number; got: number }[] = []
      const brokenOff = createDeferred()
      const { origin } = await listenOnLoopback(
        createServer(request => {
          const body = { length: Number(request.headers['content-length']), got: 0 }
          request.on('data', (chunk: Buffer) => {
            body.got += chunk.length
            // A receiver that reads in its own time.
            request.pause()
            setImmediate(() => request.resume())
          })
          request.on('error', () => {
            if (bodies.push(body) === 3) brokenOff.resolve()
          })
        }),
      )
      const sandbox = await startTestSandbox({ webhookFaults: { disconnect: 1 } })
      await placeCall(sandbox, {
        assistant: {
          assistantSystemPrompt: 'x'.repeat(size),
          assistantServer: { url: origin, ...statusOnly },
        },
        metadata: { caller: [] },
      })
      await brokenOff.promise
      for (const { length, got } of bodies) {
        expect(length).toBeGreaterThan(size)
        expect(got).toBe(Math.ceil(length / 2))
      }
    },
  )

  test('disconnect a receiver that reads nothing of a large body is given up after its time', async () => {
    const { origin } = await listenOnLoopback(createServer(request => void request.pause()))
    const log: SandboxEvent[] = []
    const world = await openTestWorld({ webhookFaults: { disconnect: 1 }, log: event => log.push(event) })
    await talkIn(world, [], {
      assistantSystemPrompt: 'x'.repeat(64 * 1024 ** 2),
      assistantServer: { url: origin, timeoutSeconds: 0.2, ...statusOnly },
    })
    expect(log.filter(({ kind }) => kind === 'delivery-failed')).toMatchObject(
      Array(3).fill({ reason: 'no response within 0.2 s' }),
    )
  })
})
