import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPositionTracker } from '../../src/relay/position.ts'
import { resolvePosition } from '../../src/relay/resolve-position.ts'
import { runs } from '../helpers/every-case.ts'

/** Sequences of a partition, each greater than the one before. */
const sequences = fc
  .array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 })
  .map(steps => steps.map((_, index) => steps.slice(0, index + 1).reduce((sum, step) => sum + step, 0)))

const start = { start: 1, next: 1, done: [] }

describe('the position of a partition', () => {
  test('after any number of kills, every event is done, and none that was saved as done is taken again', () => {
    fc.assert(
      fc.property(sequences, fc.infiniteStream(fc.nat()), (events, random) => {
        const done = new Set<number>()
        let position = start as Parameters<typeof createPositionTracker>[0]
        for (let run = 0; done.size < events.length; run++) {
          const tracker = createPositionTracker(position)
          const saved = new Set(events.filter(event => tracker.has(event)))
          const open: number[] = []
          const steps = run < 5 ? Number(random.next().value) % 40 : Number.POSITIVE_INFINITY
          const unread = [...events]
          for (let step = 0; step < steps && (unread.length > 0 || open.length > 0); step++) {
            const choice = Number(random.next().value)
            const next = unread[0]
            if (next !== undefined && (choice % 2 === 0 || open.length === 0)) {
              unread.shift()
              if (!tracker.has(next)) open.push(next)
              tracker.add(next)
            } else {
              const [finished] = open.splice(choice % open.length, 1)
              if (finished === undefined) continue
              expect(saved).not.toContain(finished)
              tracker.finish(finished)
              done.add(finished)
            }
          }
          expect(tracker.inFlight).toBe(open.length)
          position = tracker.position()
          // Only what is done is saved as done.
          const again = createPositionTracker(position)
          const isRead = (each: number) => each < tracker.unread || saved.has(each)
          expect(events.filter(event => again.has(event) && isRead(event) && !done.has(event))).toEqual([])
          expect(events.filter(event => done.has(event) && !again.has(event))).toEqual([])
        }
        const again = createPositionTracker(position)
        expect(events.filter(event => !again.has(event))).toEqual([])
      }),
      { numRuns: runs(200) },
    )
  })

  test('skips to a sequence without losing an event that is not done', () => {
    const tracker = createPositionTracker(start)
    tracker.add(3)
    tracker.skipTo(20)
    expect(tracker.position()).toEqual({ start: 1, next: 3, done: [] })
    tracker.finish(3)
    expect(tracker.position()).toEqual({ start: 1, next: 20, done: [] })
    expect(tracker.has(19)).toBe(true)
  })
})

describe('a saved position', () => {
  const stream = { created: 'monday', first: 10, last: 20 }
  const saved = { start: 2, next: 15, done: [[17, 18] as const], stream: 'monday' }

  test('is where the name continues', () => {
    expect(resolvePosition(saved, 21, stream)).toEqual({
      position: { start: 2, next: 15, done: [[17, 18]] },
    })
    expect(resolvePosition(undefined, 21, stream)).toEqual({ position: { start: 21, next: 21, done: [] } })
  })

  test('before the first event of the stream is a gap', () => {
    const old = { ...saved, next: 4, done: [[5, 6] as const, [12, 12] as const] }
    expect(resolvePosition(old, 21, stream)).toEqual({
      position: { start: 2, next: 10, done: [[12, 12]] },
      gapFrom: 4,
    })
  })

  test('of another stream means nothing, and one after the last event is of events that the brokers lost', () => {
    expect(resolvePosition({ ...saved, stream: 'sunday' }, 21, stream)).toEqual({
      position: { start: 10, next: 10, done: [] },
      isReplaced: true,
    })
    expect(resolvePosition({ ...saved, next: 30 }, 21, stream).position).toMatchObject({ next: 21 })
  })
})
