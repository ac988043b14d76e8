import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWindow } from '../../../src/calls/batch/window.ts'
import { readWait } from '../../../src/files/formats/batch.ts'
import { runs } from '../../helpers/every-case.ts'
import { callbackField, expectedCalls, scriptedCall } from './expected-calls.ts'
import { simulate } from './simulated-service.ts'

/** Days around which clocks change in some of the time zones. */
const starts = [
  '2026-10-24T20:00:00Z',
  '2026-10-31T20:00:00Z',
  '2026-03-07T20:00:00Z',
  '2026-06-15T09:00:00Z',
]
const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'Australia/Lord_Howe']

const batches = fc.record({
  retry: fc.record({
    on: fc.uniqueArray(fc.constantFrom('no-answer', 'busy', 'failed', 'voicemail'), { minLength: 1 }),
    attempts: fc.integer({ min: 1, max: 4 }),
    after: fc.constantFrom<string | string[]>('10m', ['1m', '1d'], '0s'),
  }),
  callback: fc.record({ field: fc.constant(callbackField), attempts: fc.integer({ min: 1, max: 3 }) }),
  window: fc.record({
    days: fc.constantFrom('mon-sun', 'mon-fri', 'sat-mon'),
    hours: fc.constantFrom('09:00-17:00', '00:00-03:00', '01:30-02:30,22:00-24:00'),
  }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  rate: fc.constantFrom('10/min', '2/s'),
})

const kills = fc.array(fc.record({ killAt: fc.integer({ min: 1, max: 12 }), isAfter: fc.boolean() }), {
  maxLength: 3,
})

test('everybody is called as often as a slow reference says, inside the window, also after kills', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          zone: fc.constantFrom(...zones),
          script: fc.array(scriptedCall, { minLength: 1, maxLength: 6 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      batches,
      fc.constantFrom(...starts),
      kills,
      async (people, batch, start, killed) => {
        const job = await simulate({
          ...{ start: Date.parse(start), batch, zones: people.map(({ zone }) => zone) },
          scripts: people.map(({ script }) => script),
        })
        for (const each of killed) await job.run(each).catch(() => undefined)
        expect(await job.run()).toBe('done')
        const window = createWindow(batch.window)
        const waits = [batch.retry.after].flat().map(readWait)
        const { attempts } = await job.state()
        for (const [person, { zone, script }] of people.entries()) {
          const placed = job.callsTo(person)
          const history = (attempts.get(`+1202555${1000 + person}`) ?? []).filter(
            ({ outcome }) => outcome !== 'not-sent',
          )
          const kinds = expectedCalls(script, { retry: batch.retry, callbacks: batch.callback.attempts })
          // A kill between a request and its line leaves a person who may have been called.
          const isCut = history.some(({ outcome }) => outcome === 'calling' || outcome === 'unknown')
          if (isCut) expect(placed.length).toBeLessThanOrEqual(kinds.length)
          else expect(history.map(({ kind }) => kind)).toEqual(kinds)
          for (const [index, { at }] of placed.entries()) {
            // The clock of the service is 100 ms after the decision.
            expect(window.isOpen(at - 100, zone)).toBe(true)
            const before = placed[index - 1]
            if (before === undefined) continue
            expect(at).toBeGreaterThan(before.endedAt ?? Number.POSITIVE_INFINITY)
            const wait = Math.min(...waits)
            if (history[index]?.kind === 'retry')
              expect(at - (before.endedAt ?? 0)).toBeGreaterThanOrEqual(wait)
          }
        }
        const all = [...job.placed].sort((one, other) => one.at - other.at)
        const spacing = batch.rate === '2/s' ? 500 : 6000
        for (const [index, { at }] of all.entries()) {
          const live = all.filter(other => other.at < at && (other.endedAt ?? Number.POSITIVE_INFINITY) > at)
          // A run that was killed does not know how many calls it left behind.
          if (killed.length === 0) {
            expect(live.length).toBeLessThan(batch.concurrency)
            const before = all[index - 1]
            if (before !== undefined) expect(at - before.at).toBeGreaterThanOrEqual(spacing)
          }
        }
      },
    ),
    { numRuns: runs(15) },
  )
})
