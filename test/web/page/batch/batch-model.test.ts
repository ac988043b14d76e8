import { expect, test } from 'vitest'
import {
  describeOutcomes,
  describeRun,
  endBatch,
  formatCallTime,
  formatPersonNumber,
  formatRemaining,
  formatShare,
  getLook,
  listOutcomes,
  listProgress,
} from '../../../../src/web/page/batch/batch-model.ts'
import { createFakeBatch } from '../../fake-batch.ts'

const now = new Date(2026, 2, 2, 9, 30).getTime()
const later = new Date(2026, 2, 2, 14, 5, 7).getTime()
const tomorrow = new Date(2026, 2, 3, 8).getTime()

test('statuses have looks of their own, in any spelling', () => {
  expect(getLook('no-answer')).toEqual(getLook('No Answer'))
  const looks = ['due', 'retry', 'answered', 'placed', 'busy', 'no-answer', 'failed', 'rejected', 'unknown']
  expect(new Set(looks.map(status => JSON.stringify(getLook(status)))).size).toBe(looks.length)
  expect(getLook('toString')).toMatchObject({ tone: 'other' })
  expect(getLook('heard-of-nowhere')).toEqual(getLook('heard-of-nowhere'))
  expect(getLook('')).toEqual({ tone: 'other', pattern: 0 })
})

test('shares are never rounded to nothing or everything', () => {
  expect(formatShare(1, 100_000)).toBe('< 1 %')
  expect(formatShare(99_999, 100_000)).toBe('> 99 %')
  expect(formatShare(0, 5)).toBe('0 %')
  expect(formatShare(5, 5)).toBe('100 %')
  expect(formatShare(1, 3)).toBe('33 %')
  expect(formatShare(0, 0)).toBe('0 %')
})

test('the bar is described without the statuses that nobody has', () => {
  const outcomes = listOutcomes([
    { status: 'answered', people: 1200 },
    { status: 'busy', people: 0 },
    { status: 'due', people: 800 },
  ])
  expect(outcomes.map(({ share }) => share)).toEqual(['60 %', '0 %', '40 %'])
  expect(describeOutcomes(outcomes)).toBe('1,200 answered, 800 due')
})

test.each([
  [null, 'running', 'Running', ''],
  [
    { reason: 'window', text: 'no window is open', until: later },
    'waiting',
    'Waiting: no window is open, until 14:05:07',
    '',
  ],
  [{ reason: 'window', text: '', until: tomorrow }, 'waiting', 'Waiting, until 2026-03-03 08:00', ''],
  [
    { reason: 'busy', text: 'the service is busy', until: null },
    'waiting',
    'Waiting: the service is busy',
    '',
  ],
  [
    { reason: 'paused', text: 'paused after 50 finished calls', until: null },
    'paused',
    'Paused after 50 finished calls',
    '',
  ],
  [
    { reason: 'ended', text: 'everybody was called', until: null },
    'ended',
    'Ended: everybody was called',
    '',
  ],
  [{ reason: 'ended', text: '', until: null }, 'ended', 'Ended', ''],
  // These change with every call, so that a screen reader would not stop.
  [
    { reason: 'rate', text: 'at most 20 calls per minute', until: later },
    'running',
    'Running',
    'At most 20 calls per minute',
  ],
  [
    { reason: 'calls', text: '10 calls are in progress', until: null },
    'running',
    'Running',
    '10 calls are in progress',
  ],
] as const)('describes the state %o', (pause, state, text, detail) => {
  expect(describeRun(pause, now)).toEqual({ state, text, detail })
})

test('a batch whose page has ended is shown as ended', () => {
  const summary = createFakeBatch().summary()
  expect(endBatch(summary).pause).toEqual({ reason: 'ended', text: '', until: null })
  const ended = { ...summary, pause: { reason: 'ended', text: 'cancelled', until: null } } as const
  expect(endBatch(ended)).toBe(ended)
})

test('progress counts people, calls, time talked and time left', () => {
  const summary = { ...createFakeBatch().summary(), people: 2000, done: 1500, calls: 1800, seconds: 3725 }
  expect(listProgress({ ...summary, remainingMs: 3_900_000 })).toEqual([
    ['People done', '1,500 of 2,000'],
    ['Calls', '1,800'],
    ['Time talked', '1:02:05'],
    ['Time left', 'about 1 h 5 min'],
  ])
  expect(listProgress(endBatch(summary)).map(([label]) => label)).not.toContain('Time left')
})

test.each([
  [null, 'unknown'],
  [0, 'less than 1 min'],
  [61_000, 'about 2 min'],
  [3_600_000, 'about 1 h'],
  [93_600_000, 'about 1 d 2 h'],
])('%o ms left are %s', (remainingMs, text) => {
  expect(formatRemaining(remainingMs)).toBe(text)
})

test('a time has its date unless it is today', () => {
  expect(formatCallTime(later, now)).toBe('14:05:07')
  expect(formatCallTime(tomorrow, now)).toBe('2026-03-03 08:00')
})

test('the number of a person is not shown twice', () => {
  expect(formatPersonNumber('1001', ['+12025550110', '+12025550111'])).toBe('+12025550110')
  expect(formatPersonNumber('+12025550110', ['+12025550110'])).toBe('')
  expect(formatPersonNumber('1001', [])).toBe('')
})
