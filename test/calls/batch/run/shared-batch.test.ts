import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWindow } from '../../../../src/calls/batch/window.ts'
import { type BatchFile, readWait } from '../../../../src/files/formats/batch.ts'
import { CallyardError } from '../../../../src/lib/error.ts'
import { runs } from '../../../helpers/every-case.ts'
import { callbackField, expectedCalls, scriptedCall } from '../expected-calls.ts'
import { createWorld, type Trouble } from '../shared-world.ts'

const utc = (count: number) => Array.from({ length: count }, () => 'UTC')
const [second, minute] = [1000, 60_000]

test('three runners call each person once, and all of them see the end', async () => {
  const window = { hours: '08:00-08:06' }
  const world = createWorld({ seed: 1, zones: utc(30), batch: { concurrency: 5, window } })
  const startedAt = world.now()
  expect(await world.run(3)).toEqual(['done', 'done', 'done'])
  // Nobody waits for the next day because of people whom others have called.
  expect(world.now() - startedAt).toBeLessThan(30 * minute)
  expect(world.placed).toHaveLength(30)
  expect(new Set(world.placed.map(({ to }) => to)).size).toBe(30)
  expect(new Set(world.placed.map(({ runner }) => runner)).size).toBe(3)
  expect(world.statuses()).toEqual(Array.from({ length: 30 }, () => 'answered'))
})

const batches = fc.record({
  retry: fc.record({
    on: fc.uniqueArray(fc.constantFrom('no-answer', 'busy', 'failed', 'voicemail'), { minLength: 1 }),
    attempts: fc.integer({ min: 1, max: 4 }),
    after: fc.constantFrom<string | string[]>('10m', ['1m', '1d'], '0s'),
  }),
  callback: fc.record({ field: fc.constant(callbackField), attempts: fc.integer({ min: 1, max: 3 }) }),
  window: fc.record({
    days: fc.constantFrom('mon-sun', 'mon-fri'),
    hours: fc.constantFrom('09:00-17:00', '00:00-24:00', '01:30-02:30,22:00-24:00'),
  }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  rate: fc.constantFrom('10/min', '2/s', '10/s'),
}) satisfies fc.Arbitrary<Partial<BatchFile>>

const troubles = fc.array(
  fc.record<Trouble>({
    runner: fc.integer({ min: 0, max: 3 }),
    at: fc.oneof(fc.integer({ min: 0, max: 5 * second }), fc.integer({ min: 0, max: 10 * minute })),
    kind: fc.constantFrom('kill', 'stop', 'partition'),
    ms: fc.constantFrom(0, 5 * second, minute, 5 * minute),
  }),
  { maxLength: 6 },
)

test(
  'with kills, stops, partitions and wrong clocks, everybody is called as a slow reference says',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.integer(),
          people: fc.array(
            fc.record({
              zone: fc.constantFrom('America/New_York', 'Europe/Berlin', 'Asia/Tokyo'),
              script: fc.array(scriptedCall, { minLength: 1, maxLength: 5 }),
            }),
            { minLength: 1, maxLength: 12 },
          ),
          batch: batches,
          runners: fc.integer({ min: 2, max: 4 }),
          clockOffsets: fc.array(fc.integer({ min: -25 * second, max: 25 * second }), { maxLength: 4 }),
          troubles,
          isFaulty: fc.boolean(),
        }),
        async ({ seed, people, batch, runners, clockOffsets, troubles, isFaulty }) => {
          const world = createWorld({
            ...{ seed, batch, isFaulty, zones: people.map(({ zone }) => zone) },
            scripts: people.map(({ script }) => script),
          })
          const ends = [
            ...(await world.run(runners, { troubles, clockOffsets })),
            // Somebody starts another one after all were killed.
            ...(await world.run(1, { clockOffsets })),
          ]
          for (const end of ends) expect(['done', 'killed']).toContain(end)
          expect(world.statuses()).not.toContain('due')
          expect(world.statuses()).not.toContain('waiting')

          const window = createWindow(batch.window)
          const { attempts } = world.state()
          const wait = Math.min(...[batch.retry.after].flat().map(readWait))
          for (const [person, { zone, script }] of people.entries()) {
            const placed = world.callsTo(person)
            const history = (attempts.get(`+1202555${1000 + person}`) ?? []).filter(
              ({ outcome }) => outcome !== 'not-sent',
            )
            const kinds = expectedCalls(script, { retry: batch.retry, callbacks: batch.callback.attempts })
            const isCut = history.some(({ outcome }) => outcome === 'calling' || outcome === 'unknown')
            if (isCut) expect(placed.length).toBeLessThanOrEqual(kinds.length)
            else expect(history.map(({ kind }) => kind)).toEqual(kinds)
            expect(placed.length).toBeLessThanOrEqual(history.length)
            for (const [index, { at, runner }] of placed.entries()) {
              const byClock = at + (clockOffsets[runner] ?? 0)
              // A claim is at most 30 s old.
              expect(window.isOpen(byClock, zone) || window.isOpen(byClock - 31 * second, zone)).toBe(true)
              const before = placed[index - 1]
              if (before === undefined) continue
              expect(at).toBeGreaterThan(before.endedAt ?? Number.POSITIVE_INFINITY)
              if (history[index]?.kind === 'retry')
                expect(at - (before.endedAt ?? 0)).toBeGreaterThanOrEqual(wait - 51 * second)
            }
          }
          for (const { at } of world.placed) {
            const live = world.placed.filter(
              other => other.at <= at && (other.endedAt ?? Number.POSITIVE_INFINITY) > at,
            )
            expect(live.length).toBeLessThanOrEqual(batch.concurrency)
          }
          const spacing = { '10/min': 6000, '2/s': 500, '10/s': 100 }[batch.rate]
          const claims = [...attempts.values()].flat().map(({ attempt }) => attempt)
          const times = world.entries.filter(({ id }) => claims.includes(id)).map(({ at }) => at)
          for (const [index, at] of times.entries())
            if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(spacing)
        },
      ),
      { numRuns: runs(7) },
    )
  },
  Math.max(300_000, runs(30_000)),
)

test('limits of calls and of numbers hold across runners', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), troubles, async (seed, troubles) => {
      const from = [
        { number: '+12025550180', calls: 3 },
        { number: '+12025550181', calls: 2 },
      ]
      const scripts = utc(12).map(() => [{ outcome: 'no-answer' as const, seconds: 5 }])
      const batch = { from, retry: { attempts: 3, after: '1s' }, limit: { calls: 4 } }
      const world = createWorld({ seed, zones: utc(12), batch, scripts })
      await world.run(4, { troubles })
      expect(world.placed.length).toBeLessThanOrEqual(4)
      const used = (number: string) => world.placed.filter(each => each.from === number).length
      expect(used('+12025550180')).toBeLessThanOrEqual(3)
      expect(used('+12025550181')).toBeLessThanOrEqual(2)
    }),
    { numRuns: runs(12) },
  )
})

describe('a runner', () => {
  test('that was stopped in a claim sends nothing when it continues, and the person is called', async () => {
    const world = createWorld({ seed: 3, zones: utc(1) })
    const startedAt = world.now()
    let claims = 0
    world.onStored(({ text }) => {
      if (!text.includes('"calling"')) return
      claims += 1
      if (claims === 1) world.stop(0, minute)
    })
    expect(await world.run(1)).toEqual(['done'])
    expect(world.entries.map(({ text }) => JSON.parse(text).outcome).filter(Boolean)).toEqual([
      ...['not-sent', 'answered'],
    ])
    expect(world.callsTo(0)).toHaveLength(1)
    expect(world.placed[0]?.at).toBeGreaterThan(startedAt + minute)
  })

  test('that is killed in a request leaves somebody who may have been called, whom nobody calls again', async () => {
    for (let at = 0; at < 120; at += 3) {
      const world = createWorld({
        seed: at,
        zones: utc(2),
        maxDelayMs: 20,
        scripts: utc(2).map(() => [{ outcome: 'answered', isSilent: true }]),
      })
      const ends = await world.run(2, { troubles: [{ runner: 0, at, kind: 'kill', ms: 0 }] })
      expect(ends).toEqual(['killed', 'done'])
      for (const status of world.statuses()) expect(['unknown', 'unclear']).toContain(status)
      for (const person of [0, 1]) expect(world.callsTo(person).length).toBeLessThanOrEqual(1)
    }
  })

  test('whose clock is more than a minute off calls nobody', async () => {
    const world = createWorld({ seed: 4, zones: utc(3) })
    const [end, other] = await world.run(2, { clockOffsets: [90 * second, 0] })
    expect(end).toMatchObject({ kind: 'conflict', details: { aheadMs: expect.any(Number) } })
    expect(end).toBeInstanceOf(CallyardError)
    expect(other).toBe('done')
    expect(world.placed.map(({ runner }) => runner)).toEqual([1, 1, 1])
  })

  test('that the broker cannot be reached from waits, and continues', async () => {
    const world = createWorld({ seed: 5, zones: utc(20), batch: { rate: '1/s' } })
    const troubles: Trouble[] = [
      { runner: 0, at: 2 * second, kind: 'partition', ms: 30 * second },
      { runner: 1, at: 2 * second, kind: 'partition', ms: 40 * second },
    ]
    expect(await world.run(2, { troubles })).toEqual(['done', 'done'])
    expect(world.placed).toHaveLength(20)
    expect(new Set(world.placed.map(({ to }) => to)).size).toBe(20)
  })
})

test('a pause reaches all runners before their next call', async () => {
  const world = createWorld({ seed: 6, zones: utc(40), batch: { rate: '10/s' } })
  let pausedAt = 0
  const onEvent = () => {
    if (pausedAt > 0 || world.placed.length < 9) return
    pausedAt = world.now()
    const text = JSON.stringify({ step: 'requested', at: '', offset: 0, request: { request: 'pause' } })
    world.append({ topic: 'decisions', id: 'pause', text })
  }
  expect(await world.run(3, { onEvent })).toEqual(['stopped', 'stopped', 'stopped'])
  const claimedAfter = world.entries.filter(({ at, text }) => at > pausedAt && text.includes('"calling"'))
  expect(claimedAfter).toEqual([])
})

test('an opt-out forbids further calls of all runners, and each adds it to its list', async () => {
  const scripts = [[{ outcome: 'no-answer', says: 'Stop calling me' } as const]]
  const world = createWorld({
    ...{ seed: 7, zones: utc(5), scripts },
    batch: { retry: { attempts: 3, after: '1m' } },
  })
  expect(await world.run(3)).toEqual(['done', 'done', 'done'])
  expect(world.statuses()[0]).toBe('opted-out')
  expect(world.callsTo(0)).toHaveLength(1)
  const listed = world.optOuts.filter(({ numbers }) => numbers.includes('+12025551000'))
  expect(new Set(listed.map(({ runner }) => runner))).toEqual(new Set([0, 1, 2]))
  expect(world.entries.filter(({ text }) => text.includes('"opted-out"'))).toHaveLength(1)
})

test('racing runners record the end of a call of a killed one once', async () => {
  const world = createWorld({ seed: 8, zones: utc(12), batch: { concurrency: 12 } })
  const troubles: Trouble[] = [{ runner: 0, at: 20 * second, kind: 'kill', ms: 0 }]
  expect(await world.run(4, { troubles })).toEqual(['killed', 'done', 'done', 'done'])
  expect(world.placed.some(({ runner }) => runner === 0)).toBe(true)
  expect(world.entries.filter(({ text }) => text.includes('"ended"'))).toHaveLength(12)
  expect(world.statuses()).toEqual(Array.from({ length: 12 }, () => 'answered'))
})

test('first and a condition of stopWhen pause all runners, and no further call begins', async () => {
  const world = createWorld({ seed: 9, zones: utc(30), batch: { first: 7, concurrency: 4 } })
  expect(await world.run(3)).toEqual(['stopped', 'stopped', 'stopped'])
  expect(world.placed).toHaveLength(7)
})
