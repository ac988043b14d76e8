import { expect, test } from 'vitest'
import type { WebhookFaults } from '../../../src/interface/fault-names.ts'
import { seededRandom } from '../../../src/lib/deterministic.ts'
import { createSandboxClock } from '../../../src/sandbox/clock/sandbox-clock.ts'
import type { SandboxEvent } from '../../../src/sandbox/event-schemas.ts'
import { createFaults } from '../../../src/sandbox/faults/fault-rules.ts'
import { createDelivery } from '../../../src/sandbox/webhooks/delivery.ts'
import { createFaultInjector, type WebhookMessage } from '../../../src/sandbox/webhooks/faults.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

type Answer = Parameters<typeof webhookSink>[0]

async function faultyDelivery(
  faults: WebhookFaults,
  { answer, pace = 0 }: { answer?: Answer; pace?: number } = {},
) {
  const events: SandboxEvent[] = []
  const log = (event: SandboxEvent) => void events.push(event)
  const sink = await webhookSink(answer)
  const random = seededRandom(1)
  const time = createSandboxClock({ clock: realClock, pace, latest: undefined })
  const delivery = createDelivery({
    clock: realClock,
    time,
    log,
    openFaultInjector: createFaultInjector({
      faults: createFaults({ rules: [faults], random }),
      ...{ random, time, log },
    }),
  })
  const open = (callId: string, messages?: readonly string[]) => {
    const target = {
      url: `${sink.url}?token=s3cret`,
      messages,
      headers: { 'x-key': 's3cret' },
      timeoutSeconds: 5,
    }
    const outbox = delivery.outbox({ callId, scope: undefined }, target)
    return (...names: string[]) => {
      for (const name of names) outbox.send(message(callId, name))
    }
  }
  const sent = (callId: string) => sink.of(callId).map(({ call }) => call.status)
  return { delivery, sink, open, sent, events }
}

/** `end` is the last one of its call. */
function message(callId: string, name: string): WebhookMessage {
  const type = name === 'end' ? 'status-update' : 'conversation-update'
  const body = { message: { type, call: { id: callId, status: name } } }
  return { type, last: name === 'end', body: () => body, json: () => JSON.stringify(body) }
}

test('each message twice, one after the other', async () => {
  const { delivery, open, sent, sink, events } = await faultyDelivery({ duplicate: 1 })
  open('a')('1', '2', 'end')
  await delivery.idle()
  expect(sent('a')).toEqual(['1', '1', '2', '2', 'end', 'end'])
  expect(sink.most()).toBe(1)
  expect(events).toEqual([
    { kind: 'fault', fault: 'duplicate', callId: 'a', type: 'conversation-update', index: 0 },
    { kind: 'fault', fault: 'duplicate', callId: 'a', type: 'conversation-update', index: 1 },
    { kind: 'fault', fault: 'duplicate', callId: 'a', type: 'status-update', index: 2 },
  ])
})

test('swaps neighboring messages, and sends the last one when the call is over', async () => {
  const { delivery, open, sent } = await faultyDelivery({ reorder: 1 })
  open('a')('1', '2', '3', 'end')
  open('b')('1', '2', 'end')
  await delivery.idle()
  expect(sent('a')).toEqual(['2', '1', 'end', '3'])
  expect(sent('b')).toEqual(['2', '1', 'end'])
})

test('a message held back is not lost when the last one is of a type that was not asked for', async () => {
  const { delivery, open, sent } = await faultyDelivery({ reorder: 1 })
  open('a', ['conversation-update'])('1', 'end')
  await delivery.idle()
  expect(sent('a')).toEqual(['1'])
})

test.each(['idle', 'close'] as const)('%s sends the buffered text of a live call', async end => {
  const { delivery, open, sent } = await faultyDelivery({ reorder: 1 })
  const send = open('a')
  send('1')
  await (end === 'idle' ? delivery.idle() : delivery.close())
  expect(sent('a')).toEqual(['1'])
})

test('continues a call after idle', async () => {
  const { delivery, open, sent } = await faultyDelivery({ reorder: 1 })
  const send = open('a')
  send('1', '2', '3')
  await delivery.idle()
  send('4', '5', 'end')
  await delivery.idle()
  expect(sent('a')).toEqual(['2', '1', '3', '5', '4', 'end'])
})

test('a dropped message is never sent', async () => {
  const { delivery, open, sink, events } = await faultyDelivery({ drop: 1, duplicate: 1, disconnect: 1 })
  open('a')('1', 'end')
  await delivery.idle()
  expect(sink.received).toEqual([])
  expect(sink.brokenOff()).toBe(0)
  expect(events.map(event => event.kind === 'fault' && event.fault)).toEqual(['drop', 'drop'])
})

test('the receiver sees a request that breaks off, and it is not sent again', async () => {
  const { delivery, open, sink, events } = await faultyDelivery({ disconnect: 1, duplicate: 1 })
  open('a')('1', '2', 'end')
  await delivery.close()
  await expect.poll(sink.brokenOff).toBe(3)
  expect(sink.received).toEqual([])
  expect(events.map(event => event.kind === 'fault' && event.fault)).toEqual(Array(3).fill('disconnect'))
})

test('a connection that cannot even be made to be broken is reported as not delivered, without secrets', async () => {
  const { delivery, open, sink, events } = await faultyDelivery({ disconnect: 1 })
  await sink.close()
  open('a')('end')
  await delivery.idle()
  expect(events).toContainEqual({
    kind: 'delivery-failed',
    callId: 'a',
    type: 'status-update',
    url: sink.url,
    reason: 'connection refused',
  })
  expect(JSON.stringify(events)).not.toContain('s3cret')
})

test('delays of one call hold up no other, and closing cuts them short', async () => {
  // A thousand times slower than real time: the delays last for minutes.
  const { delivery, open, sent } = await faultyDelivery({ delay: 1 }, { pace: 0.001 })
  open('a')('1', '2', 'end')
  await delivery.close()
  expect(sent('a')).toEqual(['1', '2', 'end'])
})

test('closing gives up on requests that a silent receiver delays', async () => {
  const { delivery, open, events } = await faultyDelivery({ duplicate: 1 }, { answer: () => 'hang' })
  open('a')('1', 'end')
  const closed = delivery.close()
  delivery.giveUp()
  await closed
  expect(events.filter(({ kind }) => kind === 'delivery-failed')).toHaveLength(4)
})

test.each([
  ['status-update', ['ongoing', 'queued', 'finished']],
  ['conversation-update', ['ongoing']],
])('in a sandbox that keeps running, the last %s of a call is not held back', async (type, statuses) => {
  const sandbox = await startTestSandbox({ webhookFaults: { reorder: 1 } })
  const sink = await webhookSink()
  const { body } = await sandbox.send('POST', '/calls/v1/conversations', {
    userNumber: '+12025550123',
    assistantNumber: '+12025550100',
    assistant: { welcomeMessage: 'Hello.', assistantServer: { url: sink.url, messages: [type] } },
    metadata: { caller: [] },
  })
  // The test does not wait for the sandbox to be idle: that would send what is held back.
  await expect.poll(() => sink.of(String(body.sid)).map(({ call }) => call.status)).toEqual(statuses)
})
