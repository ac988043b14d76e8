import { expect, test } from 'vitest'
import { analysisResults, unansweredCall } from '../../src/transcript/call-words.ts'

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

test('what says nothing is left out, and what has no name of ours keeps its own', () => {
  expect(analysisResults({ summary: null, successEvaluation: undefined, success: '3' })).toEqual([
    ['success', '3'],
  ])
})

test.each([
  ['busy', 'finished', 'busy'],
  ['no-answer', 'finished', 'No Answer'],
  ['no-answer', 'NoAnswer', null],
  ['failed', 'finished', 'FAILED'],
  ['canceled', 'cancelled', null],
  [undefined, 'finished', 'completed'],
  [undefined, 'finished', null],
  [undefined, 'finished', 'rejected'],
  [undefined, 'forwarded', 'completed'],
])('%s: of a call without messages that ended with %s and the phone status %s', (...row) => {
  const [reason, status, phoneCallStatus] = row
  const queued = { status: 'queued', phoneCallStatus: 'ringing' }
  const statuses = [queued, { status, phoneCallStatus }]
  expect(unansweredCall({ ended: true, messages: [], statuses })).toBe(reason)
  const ongoing = { status: 'Ongoing', phoneCallStatus: 'in-progress' }
  for (const answered of [
    { ended: false, messages: [], statuses },
    { ended: true, messages: ['said'], statuses },
    { ended: true, messages: [], statuses: [queued, ongoing, { status, phoneCallStatus }] },
    { ended: true, messages: [], statuses: [] },
  ])
    expect(unansweredCall(answered)).toBeUndefined()
})
