import { expect, test } from 'vitest'
import { startTimer, systemClock } from '../../src/lib/clock.ts'

test('an aborted sleep rejects with the signal’s reason, immediately if already aborted', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  const sleeping = systemClock.sleep(60_000, stop.signal)
  stop.abort(reason)
  await expect(sleeping).rejects.toBe(reason)
  await expect(systemClock.sleep(60_000, stop.signal)).rejects.toBe(reason)
  await expect(systemClock.sleep(0, stop.signal)).rejects.toBe(reason)
})

test('a sleep of no time, and of a moment, ends; an abort afterwards changes nothing', async () => {
  const stop = new AbortController()
  await systemClock.sleep(0, stop.signal)
  await systemClock.sleep(1, stop.signal)
  stop.abort()
})

test.each([
  ['of its own', systemClock],
  ['made of sleep', { sleep: systemClock.sleep }],
])('a timer %s calls back once, and not when it is cancelled', async (_, clock) => {
  const called: string[] = []
  const cancel = startTimer(0, () => called.push('cancelled'), clock)
  cancel()
  await new Promise<void>(resolve => {
    startTimer(
      0,
      () => {
        called.push('due')
        resolve()
      },
      clock,
    )
  })
  expect(called).toEqual(['due'])
})
