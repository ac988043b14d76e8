import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCallTime } from '../../../src/sandbox/call/call-time.ts'
import { manualClock } from '../manual-clock.ts'

test.each([0, 0.5, 1, 3, 7.3])(
  'with pace %j timers happen in the order of their time, never early',
  async pace => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 8 }),
        async delays => {
          const clock = manualClock()
          const time = createCallTime({ clock, pace, began: clock.now() })
          const began = time.now()
          const happened: number[] = []
          for (const delay of delays) time.at(began + delay, () => happened.push(delay))
          const all = (async () => {
            for (const due of [...delays].sort((one, other) => one - other)) {
              const happening = await time.next()
              expect(time.now()).toBeGreaterThanOrEqual(began + due)
              happening()
            }
          })()
          await clock.advance(20_000)
          await all
          expect(happened).toEqual([...delays].sort((one, other) => one - other))
        },
      ),
      { numRuns: 20 },
    )
  },
)

test('what comes from outside goes before a timer, also while one sleeps', async () => {
  const clock = manualClock()
  const time = createCallTime({ clock, pace: 1, began: clock.now() })
  const happened: string[] = []
  time.at(clock.now() + 1000, () => happened.push('timer'))
  const first = time.next().then(happening => happening())
  time.soon(() => happened.push('outside'))
  await first
  expect(happened).toEqual(['outside'])
  const second = time.next().then(happening => happening())
  await clock.advance(1000)
  await second
  expect(happened).toEqual(['outside', 'timer'])
})

test('with pace 0 time stands still while the call waits for work outside it', async () => {
  const clock = manualClock()
  const time = createCallTime({ clock, pace: 0, began: clock.now() })
  const began = time.now()
  let finish = () => {}
  time.at(began + 1000, () => {})
  time.during(
    new Promise<void>(resolve => {
      finish = resolve
    }),
  )
  const next = time.next()
  await clock.advance(1)
  expect(time.now()).toBe(began)
  finish()
  await next
  expect(time.now()).toBe(began + 1000)
})
