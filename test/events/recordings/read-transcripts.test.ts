import { expect, test } from 'vitest'
import { conversationUpdate, message, statusUpdate } from '../../helpers/events.ts'
import { readTranscripts, recorded, stream } from '../../helpers/recordings.ts'
import { triggeredCall } from '../../helpers/triggered-events.ts'

function read(...events: readonly unknown[]) {
  return readTranscripts(stream(recorded(...events)))
}

test('a whole call is one transcript: each message once, statuses with the time of their arrival', async () => {
  const events = triggeredCall(3)
  const { calls, skipped, unreadable } = await read(...events)
  expect({ skipped, unreadable }).toEqual({ skipped: [], unreadable: 0 })
  expect(calls).toEqual([
    {
      callId: 'CC-1',
      conversation: null,
      direction: 'outbound',
      callType: 'web',
      userNumber: '+12025550123',
      assistantNumber: '+12025550100',
      teamId: 'team-sample',
      assistantId: 'assistant-sample',
      assistantName: 'Front desk',
      customerName: 'Ada',
      startAt: '2026-03-01T09:59:48.000Z',
      endAt: '2026-03-01T10:00:00.000Z',
      callEndTriggerBy: 'user',
      firstAt: '2026-03-01T10:00:00.000Z',
      lastAt: '2026-03-01T10:00:05.000Z',
      ended: true,
      statuses: [
        { status: 'queued', phoneCallStatus: 'ringing', at: '2026-03-01T10:00:00.000Z' },
        { status: 'ongoing', phoneCallStatus: 'in-progress', at: '2026-03-01T10:00:01.000Z' },
        { status: 'finished', phoneCallStatus: 'completed', at: '2026-03-01T10:00:05.000Z' },
      ],
      messages: events[4]?.message.messages?.map(said => ({ ...(said as object), edited: false })),
      analysis: expect.objectContaining({ summary: expect.any(String) }),
      otherEvents: {},
      malformedItems: 0,
      unread: [],
    },
  ])
})

test('a blank name is none', async () => {
  const update = statusUpdate('c1', 'ongoing')
  const names = { assistant: { name: '' }, customer: { name: ' \t' } }
  const { calls } = await read({ message: { ...update.message, ...names } })
  expect(calls[0]).toMatchObject({ assistantName: null, customerName: null })
})

test('an edit replaces the message', async () => {
  const { calls } = await read(
    conversationUpdate('c1', message('m1', 'helo'), message('m2', 'hi')),
    conversationUpdate('c1', message('m1', 'hello'), message('m2', 'hi')),
  )
  expect(calls[0]?.messages.map(({ text, edited }) => [text, edited])).toEqual([
    ['hello', true],
    ['hi', false],
  ])
})

test('ignores repeated and late events', async () => {
  const { calls } = await read(
    statusUpdate('c1', 'finished', { endAt: '2026-03-01T10:00:09Z', userNumber: '+12025550101' }),
    statusUpdate('c1', 'finished', { endAt: '2026-03-01T10:00:09Z' }),
    statusUpdate('c1', 'queued', { userNumber: '+12025550102', direction: 'inbound' }),
  )
  expect(calls).toHaveLength(1)
  expect(calls[0]).toMatchObject({
    statuses: [{ status: 'finished' }],
    userNumber: '+12025550101',
    direction: 'inbound',
  })
})

test('an analysis may arrive after the end', async () => {
  const { calls } = await read(
    statusUpdate('c1', 'finished'),
    statusUpdate('c1', 'finished', { analysis: { summary: 'done' } }),
  )
  expect(calls[0]).toMatchObject({ statuses: [{ status: 'finished' }], analysis: { summary: 'done' } })
})

test('calls that run at once are kept apart; events without a call are one of their own', async () => {
  const { calls } = await read(
    conversationUpdate('c1', message('m1', 'one')),
    conversationUpdate('c2', message('m1', 'two')),
    conversationUpdate(undefined, message('m1', 'three')),
    conversationUpdate('c1', message('m1', 'one'), message('m2', 'more')),
  )
  expect(calls.map(({ callId, messages }) => [callId, messages.map(({ text }) => text)])).toEqual([
    ['c1', ['one', 'more']],
    ['c2', ['two']],
    [null, ['three']],
  ])
})

test('counts what is not a conversation, and skips what is not an event', async () => {
  const torn = { kind: 'skipped', file: 'r.ndjson', line: 9, torn: true } as const
  const items = recorded(
    { message: { type: '__proto__', call: { id: 'c1' } } },
    { message: { type: 'speech-update', call: { id: 'c1' } } },
    { message: { type: 'speech-update', call: { id: 'c1' } } },
    conversationUpdate('c1', 7, { role: 'user' }),
    'not JSON',
    '[7]',
    `{"message":{"type":"status-update","call":{"id":"c1","status":"finished"},"analysis":{"summary":${'['.repeat(5000)}${']'.repeat(5000)}}}}`,
  )
  const { calls, skipped, unreadable } = await readTranscripts(stream([...items, torn]))
  expect(unreadable).toBe(2)
  expect(skipped).toEqual([torn])
  expect(Object.entries(calls[0]?.otherEvents ?? {})).toEqual([
    ['__proto__', 1],
    ['speech-update', 2],
  ])
  expect(calls[0]?.malformedItems).toBe(2)
  expect(calls[0]?.analysis).toEqual({ summary: '(nested too deeply to show)' })
})
