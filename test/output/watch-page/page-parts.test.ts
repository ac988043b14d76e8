import { expect, test } from 'vitest'
import { statusOf, titleOf, visibleCalls } from '../../../src/output/watch-page/browser/page-model.ts'
import { destination } from '../../../src/output/watch-page/browser/roving.ts'
import {
  byteSize,
  duration,
  readTime,
  timeOfDay,
} from '../../../src/output/watch-page/browser/shown-times.ts'
import type { CallSummary } from '../../../src/webhook/watch/wire.ts'

function call(key: number, more: Partial<CallSummary> = {}): CallSummary {
  return {
    key,
    callId: `CC-${key}`,
    customerName: null,
    userNumber: null,
    assistantNumber: null,
    assistantName: null,
    status: null,
    phoneCallStatus: null,
    finished: false,
    messages: 0,
    events: 1,
    last: null,
    firstAt: 0,
    lastAt: 0,
    ...more,
  }
}

test('the newest call stands first, whatever changed last', () => {
  const calls = new Map([2, 1, 3].map(key => [key, call(key, { finished: key === 3 })]))
  const keys = (...filters: [Parameters<typeof visibleCalls>[1], ReadonlySet<number>?]) =>
    visibleCalls(calls, filters[0], filters[1]).map(({ key }) => key)
  expect(keys('all')).toEqual([3, 2, 1])
  expect(keys('live')).toEqual([2, 1])
  expect(keys('finished')).toEqual([3])
  expect(keys('live', new Set([1, 3]))).toEqual([1])
})

test('a call is named by who is on the line', () => {
  expect(titleOf(call(1, { customerName: 'Ada', userNumber: '+12025550111' }))).toBe('Ada')
  expect(titleOf(call(1, { userNumber: '+12025550111' }))).toBe('+12025550111')
  expect(titleOf(call(1))).toBe('CC-1')
  expect(titleOf(call(1, { callId: null }))).toBe('Events without a call')
  expect(statusOf(call(1))).toBe('no status yet')
  expect(statusOf(call(1, { status: 'ongoing', phoneCallStatus: 'in-progress' }))).toBe(
    'ongoing · in-progress',
  )
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
    '0 s',
    '59 s',
    '1 min 00 s',
    '1 min 05 s',
    '1 h 03 min',
    '0 s',
  ])
  expect([812, 14_200, 3_000_000].map(byteSize)).toEqual(['812 B', '14.2 kB', '3.0 MB'])
  expect(readTime('2026-03-01T10:00:00+02:00')).toBe(Date.UTC(2026, 2, 1, 8))
  for (const text of ['', '1', 'yesterday', '2026-03-01', '2026-99-99T10:00:00Z'])
    expect(readTime(text)).toBe(undefined)
})
