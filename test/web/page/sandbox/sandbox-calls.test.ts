import { expect, test } from 'vitest'
import type { CallObservation } from '../../../../src/files/formats/call-observation.ts'
import type { CallView } from '../../../../src/files/formats/control-api.ts'
import { createSandboxCalls, type SandboxCalls } from '../../../../src/web/page/sandbox/sandbox-calls.ts'

function record(id: string, more: Partial<CallView> = {}): CallView {
  return {
    id,
    teamId: 'team-1',
    direction: 'outbound',
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: '2026-03-01T10:00:00.000Z',
    customer: { number: '+12025550123' },
    phoneVendor: '<phone_vendor_1>',
    monitor: { controlUrl: 'https://example.com/control' },
    phoneVendorDetails: { from: '+12025550100', to: '+12025550123' },
    status: 'queued',
    ...more,
  }
}

const message = (messageId: string, text: string, role: 'assistant' | 'user' = 'assistant') => ({
  messageId,
  role,
  text,
  timestamp: '2026-03-01T10:00:01.000Z',
})

function ongoing(...observations: readonly CallObservation[]): SandboxCalls {
  const calls = createSandboxCalls()
  calls.observe({
    callId: 'CC-1',
    kind: 'status',
    status: 'ongoing',
    record: record('CC-1', { status: 'ongoing', startAt: '2026-03-01T10:00:00.000Z' }),
  })
  for (const observation of observations) calls.observe(observation)
  return calls
}

const texts = (calls: SandboxCalls, key = 1) => calls.get(key)?.detail.messages.map(({ text }) => text)

test('shows partial text at the end of the transcript until it is spoken, cut off or dropped', () => {
  const calls = ongoing(
    { callId: 'CC-1', kind: 'draft', text: 'We are ' },
    { callId: 'CC-1', kind: 'draft', text: 'open' },
  )
  expect(texts(calls)).toEqual(['We are open'])
  const before = calls.get(1)?.detail
  const said = { callId: 'CC-1', kind: 'message', ...message('m1', 'We are', 'assistant') } as const
  expect(calls.observe(said)).toMatchObject({ key: 1, messages: 1, last: { text: 'We are' } })
  expect(texts(calls)).toEqual(['We are'])
  // What is drawn by then is added to: the list is the same, what is known of the call is not.
  expect(calls.get(1)?.detail).not.toBe(before)
  expect(calls.get(1)?.detail.messages).toBe(before?.messages)
  calls.observe({ callId: 'CC-1', kind: 'draft', text: 'Never said' })
  expect(calls.observe({ callId: 'CC-1', kind: 'listening' })).toMatchObject({ messages: 1 })
  expect(texts(calls)).toEqual(['We are'])
  expect(calls.get(1)?.listening).toBe(true)
  calls.observe({ callId: 'CC-1', kind: 'message', ...message('m2', 'Wait', 'user'), interrupted: true })
  expect(texts(calls)).toEqual(['We are', 'Wait –'])
  expect(calls.get(1)?.listening).toBe(false)
})

test('shows the same message once, from the stream and from the list of calls', () => {
  const calls = ongoing({ callId: 'CC-1', kind: 'message', ...message('m1', 'Hello') })
  calls.replace([
    record('CC-1', { status: 'ongoing', messages: [message('m1', 'Hello'), message('m2', 'Hi', 'user')] }),
  ])
  calls.observe({ callId: 'CC-1', kind: 'message', ...message('m2', 'Hi', 'user') })
  expect(texts(calls)).toEqual(['Hello', 'Hi'])
})

test('a record behind the stream removes nothing, but one with another history does', () => {
  const calls = ongoing({ callId: 'CC-1', kind: 'message', ...message('m1', 'Hello') })
  calls.observe({
    callId: 'CC-1',
    kind: 'status',
    status: 'ongoing',
    record: record('CC-1', { status: 'ongoing' }),
  })
  expect(texts(calls)).toEqual(['Hello'])
  calls.replace([record('CC-2')])
  expect([...calls.summaries.values()].map(({ callId }) => callId)).toEqual(['CC-2'])
  expect(calls.keyOf('CC-1')).toBe(undefined)
  expect(calls.observe({ callId: 'CC-1', kind: 'listening' })).toBe(undefined)
})

test('a finished call has its statuses, facts, analysis, tools and failures', () => {
  const calls = createSandboxCalls()
  calls.replace([
    record('CC-1', {
      status: 'completed',
      direction: 'inbound',
      phoneVendor: '<phone_vendor_1>',
      monitor: { controlUrl: 'https://example.com/control' },
      phoneVendorDetails: { from: '+12025550123', to: '+12025550100' },
      startAt: '2026-03-01T10:00:05.000Z',
      endAt: '2026-03-01T10:00:35.000Z',
      callEndTriggerBy: 'user',
      analysis: { summary: 'Booked' },
      toolCalls: [
        { id: 't1', name: 'book', simulated: true, startedAt: '2026-03-01T10:00:05.000Z' },
        { id: 't2', name: 'fail', failure: 'no answer' },
      ],
      failures: [{ part: 'model', message: 'It hung.', failedAt: '2026-03-01T10:00:04.000Z' }],
    }),
  ])
  const detail = calls.get(1)?.detail
  expect(detail?.statuses.map(({ status }) => status)).toEqual(['queued', 'ongoing', 'completed'])
  expect(Object.fromEntries(detail?.facts ?? [])).toMatchObject({
    'call id': 'CC-1',
    user: '+12025550123',
    assistant: '+12025550100',
    duration: '0:30',
    'ended by': 'user',
  })
  expect(detail?.analysis).toEqual({ summary: 'Booked' })
  expect(detail?.activities.map(({ title, state }) => `${title} ${state}`)).toEqual([
    'fail failed',
    'model failed',
    'book simulated',
  ])
  expect(calls.summaries.get(1)).toMatchObject({ finished: true, assistantNumber: '+12025550100' })
})

test('shows why a call was not answered', () => {
  const calls = createSandboxCalls()
  calls.replace([
    record('CC-1', { status: 'completed', phoneCallStatus: 'busy', endAt: '2026-03-01T10:00:30.000Z' }),
  ])
  expect(calls.get(1)?.detail.statuses).toEqual([
    { status: 'queued', phoneCallStatus: null, at: '2026-03-01T10:00:00.000Z' },
    { status: 'completed', phoneCallStatus: 'busy', at: '2026-03-01T10:00:30.000Z' },
  ])
})

test('a running tool becomes its result', () => {
  const startedAt = Date.parse('2026-03-01T10:00:05.000Z')
  const iso = (at: number) => new Date(at).toISOString()
  const run = { id: 't1', name: 'book', arguments: { day: 'Friday' }, startedAt: iso(startedAt) }
  const answered = { ...run, content: '{}', endedAt: iso(startedAt + 1500) }
  const calls = ongoing({ callId: 'CC-1', kind: 'tool-started', run })
  expect(calls.get(1)?.detail.activities).toMatchObject([
    { number: 1, title: 'book', state: 'running', value: run, until: undefined },
  ])
  calls.observe({ callId: 'CC-1', kind: 'tool-ended', result: answered })
  expect(calls.get(1)?.detail.activities).toMatchObject([
    { number: 1, title: 'book', state: 'done', value: answered, until: startedAt + 1500 },
  ])
})

test('a search matches all its words in ids, numbers, names and texts', () => {
  const calls = ongoing({ callId: 'CC-1', kind: 'message', ...message('m1', 'We open at EIGHT') })
  calls.replace([
    record('CC-1', { status: 'ongoing' }),
    record('CC-2', { customer: { number: '+12025550199', name: 'Ada' } }),
  ])
  expect(calls.find('open eight')).toEqual([1])
  expect(calls.find('ada 0199')).toEqual([2])
  expect(calls.find('cc-')).toEqual([1, 2])
  expect(calls.find('open ada')).toEqual([])
})

test('shows who has the floor in a call that started before the page was opened', () => {
  const calls = createSandboxCalls()
  calls.replace([record('CC-1', { status: 'ongoing', listening: true }), record('CC-2')])
  expect([calls.get(1)?.listening, calls.get(2)?.listening]).toEqual([true, false])
  calls.replace([record('CC-1', { status: 'ongoing' }), record('CC-2')])
  expect(calls.get(1)?.listening).toBe(false)
})

test('measures a live call by its own clock, which may be ahead', () => {
  const said = { ...message('m1', 'Hello'), timestamp: '2026-03-01T10:00:22.000Z' }
  const calls = ongoing({ callId: 'CC-1', kind: 'message', ...said })
  const { firstAt = 0, lastAt = 0 } = calls.summaries.get(1) ?? {}
  expect(lastAt - firstAt).toBe(22_000)
})

test.each([
  ['a receiver that answered 500', { sent: 1, status: 500 }, 1],
  ['a fault that dropped it', { sent: 0, faults: ['drop'] }, 1],
  ['a receiver that took it', { sent: 2, status: 200 }, 0],
  ['a receiver that does not run', { sent: 1, reason: 'connection refused' }, 0],
])('of webhooks counts %s in the row of the call: %j', (_, outcome, counted) => {
  const calls = ongoing()
  const known = { id: 'CC-1/1', call: 'CC-1', number: 1, at: '2026-03-01T10:00:00.000Z', bytes: 9 }
  calls.takeWebhook({ ...known, type: 'status-update', url: 'http://127.0.0.1:4011/', ...outcome })
  expect(calls.summaries.get(1)?.failedDeliveries).toBe(counted)
})
