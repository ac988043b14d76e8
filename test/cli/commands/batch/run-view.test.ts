import { expect, test } from 'vitest'
import { pauseOf } from '../../../../src/cli/commands/batch/run-view.ts'
import { describeRun, formatCallTime } from '../../../../src/web/page/batch/batch-model.ts'

const now = Date.parse('2026-03-02T12:00:00Z')
const until = now + 30_000

test.each([
  ['window', 'Waiting: no window is open'],
  ['retry', 'Waiting: nobody is due'],
  ['busy', 'Waiting: the service is busy'],
  ['drain', 'Paused: waiting for calls in progress'],
] as const)('the page has the end of a wait once: %s', (reason, words) => {
  const pause = pauseOf({ reason, until }, undefined)
  expect(describeRun(pause, now).text).toBe(`${words}, until ${formatCallTime(until, now)}`)
})
