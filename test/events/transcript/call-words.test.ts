import fc from 'fast-check'
import { expect, test } from 'vitest'
import { analysisResults, statusTimes } from '../../../src/events/transcript/call-words.ts'

test.each([
  ['10', '10 of 10'],
  ['1', '1 of 10'],
  [7, '7 of 10'],
  ['7.5', '7.5 of 10'],
  ['11', '11'],
  [42, 42],
  ['85%', '85%'],
  ['8 of 10', '8 of 10'],
  ['pass', 'pass'],
  ['-1', '-1'],
  ['', ''],
  [true, true],
])('success %j is shown as %j', (successEvaluation, shown) => {
  expect(analysisResults({ successEvaluation })).toEqual([['success', shown]])
})

test('omits empty results, and keeps unknown names', () => {
  expect(analysisResults({ summary: null, successEvaluation: undefined, success: '3' })).toEqual([
    ['success', '3'],
  ])
})

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 10) + seconds * 1000).toISOString()
const course = (...arrivals: number[]) =>
  ['queued', 'ongoing', 'finished']
    .slice(0, arrivals.length)
    .map((status, index) => ({ status, at: at(arrivals[index] ?? 0) }))

test.each([
  ['its own times', course(100, 101, 130), { startAt: at(2), endAt: at(29), ended: true }, [2, 2, 29]],
  [
    'a service whose clock is behind',
    course(100, 101, 130),
    { startAt: at(40), endAt: at(69), ended: true },
    [40, 40, 69],
  ],
  [
    'one whose clock is ahead',
    course(1, 2, 30),
    { startAt: at(40), endAt: at(69), ended: true },
    [1, 40, 69],
  ],
  ['no times', course(1, 2, 30), { startAt: null, endAt: 'soon', ended: true }, [1, 2, 30]],
  ['a call that goes on', course(1, 2), { startAt: at(2), endAt: null, ended: false }, [1, 2]],
])('statuses have %s', (_, statuses, call, expected) => {
  expect(statusTimes(statuses, call)).toEqual(expected.map(at))
})

test('no status is later than the next one, for any times', () => {
  const time = fc.integer({ min: 0, max: 1000 })
  fc.assert(
    fc.property(
      fc.array(time, { maxLength: 3 }),
      fc.option(time),
      fc.option(time),
      fc.boolean(),
      (arrivals, start, end, ended) => {
        const times = statusTimes(course(...arrivals), {
          startAt: start === null ? null : at(start),
          endAt: end === null ? null : at(end),
          ended,
        })
        expect(times).toEqual(times.toSorted())
      },
    ),
  )
})
