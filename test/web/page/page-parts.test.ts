import { expect, test } from 'vitest'
import { pageHints } from '../../../src/cli/commands/webhook/open-sinks.ts'
import { getCallStart } from '../../../src/events/transcript/index.ts'
import { duration, readDateTime, timeOfDay } from '../../../src/lib/text/date-time.ts'
import {
  applyDetail,
  byteSize,
  callNote,
  callVerdict,
  countEvents,
  createShownCalls,
  deliveryWords,
  destination,
  emptyCall,
  explainMissingAnalysis,
  explainMissingMessages,
  formatAge,
  formatDay,
  formatStatus,
  getArrow,
  getDuration,
  getPreview,
  getTitle,
  isFailed,
  isUnanswered,
  transcriptItems,
  visibleCalls,
} from '../../../src/web/page/page-model.ts'
import type { CallDetail, CallSummary, PageMessage } from '../../../src/web/wire.ts'
import { testContext } from '../../helpers/test-context.ts'

function call(key: number, more: Partial<CallSummary> = {}): CallSummary {
  return {
    key,
    callId: `CC-${key}`,
    conversation: null,
    customerName: null,
    userNumber: null,
    direction: null,
    startAt: null,
    endAt: null,
    assistantNumber: null,
    assistantName: null,
    status: null,
    phoneCallStatus: null,
    finished: false,
    outcome: null,
    success: '',
    messages: 0,
    events: 1,
    failedDeliveries: 0,
    last: null,
    firstAt: 0,
    lastAt: 0,
    ...more,
  }
}

const emptyDetail: CallDetail = {
  key: 0,
  whole: true,
  facts: [],
  messages: [],
  missing: 0,
  malformed: 0,
  statuses: [],
  analysis: undefined,
  events: [],
  deliveries: [],
  firstEvent: 1,
}

test('lists the newest call first, even after changes of others', () => {
  const calls = new Map([2, 1, 3].map(key => [key, call(key, { finished: key === 3 })]))
  const keys = (...filters: [Parameters<typeof visibleCalls>[1], ReadonlySet<number>?]) =>
    visibleCalls(calls, filters[0], filters[1]).map(({ key }) => key)
  expect(keys('all')).toEqual([3, 2, 1])
  expect(keys('live')).toEqual([2, 1])
  expect(keys('finished')).toEqual([3])
  expect(keys('live', new Set([1, 3]))).toEqual([1])
  // The events of no call are neither.
  calls.set(4, call(4, { callId: null }))
  expect([keys('all'), keys('live'), keys('finished')]).toEqual([[4, 3, 2, 1], [2, 1], [3]])
})

test('names a call after the caller', () => {
  expect(getTitle(call(1, { customerName: 'Ada', userNumber: '+12025550111' }))).toBe('Ada')
  expect(getTitle(call(1, { userNumber: '+12025550111' }))).toBe('+12025550111')
  expect(getTitle(call(1))).toBe('CC-1')
  expect(getTitle(call(1, { callId: 'CC-7d3f2c1e-0000-4000-8000-000000000001' }))).toBe('CC-7d3f2c1e')
  expect(getTitle(call(1, { callId: null }))).toBe('Events without a call')
  expect(getTitle(call(1, { callId: null, conversation: 1 }))).toBe('Call without id')
  expect(getTitle(call(1, { callId: null, conversation: 2 }))).toBe('Call 2 without id')
  expect(formatStatus(call(1))).toBe('no status yet')
  expect(formatStatus(call(1, { callId: null }))).toBe('no call')
  expect(formatStatus(call(1, { status: 'ongoing', phoneCallStatus: 'in-progress' }))).toBe(
    'ongoing · in-progress',
  )
})

test('highlights an unanswered call and shows why it has no messages', () => {
  for (const outcome of ['busy', 'no-answer', 'failed'] as const)
    expect(isUnanswered(call(1, { finished: true, outcome }))).toBe(true)
  for (const outcome of [null, 'answered', 'voicemail', 'forwarded', 'unclear'] as const)
    expect(isUnanswered(call(1, { outcome }))).toBe(false)
  expect(explainMissingMessages([['direction', 'outbound']])).toBe('No messages yet.')
  const ended = ['ended', '2026-03-01T10:00:00.000Z'] as const
  expect(explainMissingMessages([ended])).toBe('No messages.')
  expect(explainMissingMessages([ended, ['not answered', 'the line was busy']])).toBe(
    'The call was not answered: the line was busy.',
  )
  expect(explainMissingAnalysis([['not answered', 'the line was busy']])).not.toContain('after the call')
  expect(explainMissingAnalysis([ended])).toContain('after the call')
})

test('shows why a call has no messages, and lists unanswered and unsuccessful calls as failed', () => {
  const busy = { status: 'finished', outcome: 'no-answer', finished: true } as const
  expect(formatStatus(call(1, busy))).toBe('no-answer')
  expect(getPreview(call(1)).text).toBe('no messages yet')
  expect(getPreview(call(1, { finished: true })).text).toBe('no messages')
  const last = { role: 'user', text: 'a\n b' }
  expect(getPreview(call(1, { last }))).toEqual({ role: 'user', text: 'a b' })
  const failed = [
    busy,
    { success: 'fail' },
    { success: 'False' },
    { success: '0 of 10' },
    { success: 'pass' },
    {},
  ]
  expect(failed.map(more => isFailed(call(1, more)))).toEqual([true, true, true, false, false, false])
})

test('shows an age in one unit, and the day for yesterday and before', () => {
  const now = new Date(2026, 2, 2, 12).getTime()
  const hour = 3_600_000
  const ages = [0, 59_000, 60_000, hour - 1, hour, 24 * hour - 1, 24 * hour].map(age =>
    formatAge(now - age, now),
  )
  expect(ages).toEqual(['now', 'now', '1 min', '59 min', '1 h', '23 h', '1 d'])
  expect([1, 13, 37].map(hours => formatDay(now - hours * hour, now))).toEqual([
    'Today',
    'Yesterday',
    '2026-02-28',
  ])
})

test('arrow keys stay among the items', () => {
  expect(
    ['ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp', 'x'].map(key => destination(key, 1, 3)),
  ).toEqual([2, 0, 0, 2, 2, 0, undefined])
  expect(destination('ArrowDown', 2, 3)).toBe(2)
  expect(destination('Home', 0, 0)).toBe(undefined)
})

test('times, durations and sizes', () => {
  expect(timeOfDay(new Date(2026, 2, 1, 9, 5, 7).getTime())).toBe('09:05:07')
  expect([0, 59_400, 59_600, 65_000, 3_780_000, -5].map(duration)).toEqual([
    '0:00',
    '0:59',
    '0:59',
    '1:05',
    '1:03:00',
    '0:00',
  ])
  expect([812, 14_200, 999_960, 3_000_000].map(byteSize)).toEqual(['812 B', '14.2 kB', '1.0 MB', '3.0 MB'])
})

test('rejects a time that is not a date-time or has a year of more digits', () => {
  expect(readDateTime('2026-03-01T10:00:00+02:00')).toBe(Date.UTC(2026, 2, 1, 8))
  for (const text of [
    undefined,
    '',
    '1',
    'yesterday',
    '2026-03-01',
    '2026-99-99T10:00:00Z',
    '9999-12-31T23:59:59-12:00',
    '0000-01-01T00:00:00+12:00',
  ])
    expect(readDateTime(text)).toBe(undefined)
})

test('a limited number of calls is kept to be shown again, those that were shown last', () => {
  const shown = createShownCalls(2)
  const keep = (key: number, events: number) =>
    shown.keep(applyDetail(undefined, { ...emptyDetail, key, firstEvent: events + 1 }))
  keep(1, 1)
  keep(2, 1)
  keep(1, 5)
  keep(3, 1)
  const eventsNow = (key: number) => {
    const call = shown.get(key)
    return call && countEvents(call)
  }
  expect([1, 2, 3].map(eventsNow)).toEqual([5, undefined, 1])
  shown.clear()
  expect(shown.get(1)).toBe(undefined)
})

test('appends new messages to the same list; a complete update creates another one', () => {
  const message = (index: number, text: string) => ({
    index,
    messageId: null,
    role: 'user',
    text,
    cut: 0,
    timestamp: null,
    edited: false,
  })
  const status = { status: 'ongoing', phoneCallStatus: null, at: '2026-03-01T10:00:00.000Z' }
  const more = { ...emptyDetail, whole: false, statuses: [status] }
  const first = applyDetail(undefined, { ...more, messages: [message(0, 'one'), message(1, 'two')] })
  const next = applyDetail(first, { ...more, messages: [message(1, 'edited'), message(2, 'three')] })
  expect(next).not.toBe(first)
  expect(next.messages).toBe(first.messages)
  expect(next.messages.map(({ text }) => text)).toEqual(['one', 'edited', 'three'])
  expect([first.statuses.length, next.statuses.length]).toEqual([1, 2])
  const again = applyDetail(next, { ...emptyDetail, messages: [message(0, 'one')] })
  expect(again.messages.map(({ text }) => text)).toEqual(['one'])
  expect(next.messages).toHaveLength(3)
})

test('shows why a call is incomplete', () => {
  const all = { connection: 'live', gone: false, isShown: true, missed: 0 } as const
  expect(callNote(all)).toBe('')
  expect(callNote({ ...all, isShown: false })).toBe('')
  expect(callNote({ ...all, connection: 'ended' })).toBe('')
  expect(callNote({ ...all, connection: 'ended', missed: 1 })).toMatch(/1 event ago/)
  expect(callNote({ ...all, gone: true, missed: 2 })).toMatch(/no longer has this call.*2 events ago/)
  expect(callNote({ ...all, gone: true, isShown: false })).toMatch(/no longer has this call\.$/)
  for (const connection of ['lost', 'ended', 'crowded'] as const)
    expect(callNote({ ...all, connection, isShown: false })).toMatch(/not open before/)
})

test('takes the duration of a call from its own times, else from its events', () => {
  const times = {
    startAt: '2026-03-01T10:00:00.000Z',
    endAt: '2026-03-01T10:00:18.000Z',
    firstAt: 1000,
    lastAt: 3000,
  }
  expect(getDuration(call(1, { ...times, finished: true }), 9000)).toBe(18_000)
  expect(getDuration(call(1, { ...times, endAt: null, finished: true }), 9000)).toBe(2000)
  expect(getDuration(call(1, { ...times, endAt: null }), 9000)).toBe(8000)
  // A call that does not wait is ahead of the clock.
  expect(getDuration(call(1, { ...times, endAt: null, lastAt: 22_000 }), 9000)).toBe(21_000)
  expect(getDuration(call(1, { ...times, endAt: '2026-03-01T09:00:00.000Z', finished: true }), 9000)).toBe(
    2000,
  )
  expect(getDuration(call(1, { ...times, startAt: 'noon', finished: true }), 9000)).toBe(2000)
  expect(getCallStart(call(1, times))).toBe(Date.parse(times.startAt))
  expect(getCallStart(call(1, { firstAt: 1000 }))).toBe(1000)
  expect(getCallStart(call(1, { ...times, startAt: null }))).toBe(Date.parse('2026-03-01T10:00:16.000Z'))
})

test('shows who called whom with an arrow, if known', () => {
  expect(getArrow(call(1, { direction: 'outbound' }))).toBe('→ ')
  expect(getArrow(call(1, { direction: 'inbound' }))).toBe('← ')
  expect(getArrow(call(1, { direction: 'sideways' }))).toBe('')
  expect(getArrow(call(1))).toBe('')
})

test('shows the page’s commands with the name of a required header, quoted for a shell', () => {
  expect(pageHints(undefined, testContext()).trigger).toBe('callyard webhook trigger call --to {address}')
  expect(pageHints("x-'token", testContext()).trigger).toBe(
    "callyard webhook trigger call --to {address} --header 'x-'\\''token: …'",
  )
})

test('shows tool calls in order between messages, and at the end if the time is unknown', () => {
  const at = (second: number) => `2026-03-01T10:00:0${second}.000Z`
  const said = (index: number, timestamp: string | null): PageMessage => ({
    index,
    messageId: null,
    role: 'user',
    text: `message ${index}`,
    cut: 0,
    timestamp,
    edited: false,
  })
  const work = (number: number, time?: string) => ({
    number,
    title: `tool ${number}`,
    kind: 'tool' as const,
    state: 'done' as const,
    value: {},
    from: time === undefined ? undefined : Date.parse(time),
    until: undefined,
  })
  const messages = [said(0, at(1)), said(1, at(3)), said(2, null)]
  const names = (activities: ReturnType<typeof work>[]) =>
    transcriptItems({ ...emptyCall(1), messages, activities }).map(item =>
      'number' in item ? item.title : item.text,
    )
  expect(names([])).toEqual(['message 0', 'message 1', 'message 2'])
  expect(names([work(1, at(2)), work(2, at(2)), work(3), work(4, at(5))])).toEqual([
    'message 0',
    'tool 1',
    'tool 2',
    'message 1',
    'tool 4',
    'message 2',
    'tool 3',
  ])
})

test('describes a delivery', () => {
  const sent = { state: 'sent', target: 1, attempt: 1, again: false, milliseconds: 12.4 } as const
  expect(deliveryWords({ ...sent, status: 200 })).toBe('200 in 12 ms')
  expect(deliveryWords({ ...sent, status: 503, attempt: 3, again: true })).toBe(
    '503 in 12 ms, third attempt, retrying',
  )
  expect(deliveryWords({ ...sent, reason: 'timed out', attempt: 12 })).toBe('timed out, 12th attempt')
  expect(deliveryWords({ state: 'waiting', target: 1, reason: 'connection refused' })).toBe(
    'waiting: connection refused',
  )
  expect(isFailed(call(1, { failedDeliveries: 1 }))).toBe(true)
  expect(callVerdict(call(1, { failedDeliveries: 2, success: 'pass' }))).toBe('✕ 2 not delivered')
})
