import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CutReason, createOpenBodies, type OpenBody } from '../../../src/lib/net/open-bodies.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

const kilobyte = 1024

describe('the bound for all bodies', () => {
  test('truncates the call with the most text for the longest time; small and new ones continue', async () => {
    const { begin, clock, cuts } = track(100 * kilobyte)
    const small = begin('small and old')
    small.add(kilobyte)
    const dribbler = begin('large and old')
    dribbler.add(60 * kilobyte)
    await clock.advance(1000)
    const fast = begin('larger and new')
    fast.add(70 * kilobyte)
    expect(cuts).toEqual([['large and old', 'crowded']])
    small.add(kilobyte)
    fast.add(20 * kilobyte)
    expect(cuts).toHaveLength(1)
  })

  test('a body that came, or is not wanted, makes room', () => {
    const { begin, cuts } = track(100 * kilobyte)
    for (let index = 0; index < 10; index += 1) {
      const body = begin(`${index}`)
      body.add(60 * kilobyte)
      body.end()
    }
    expect(cuts).toEqual([])
  })

  test('counts the overhead of tiny chunks of a body', () => {
    const { begin, cuts } = track(100 * kilobyte)
    const body = begin('byte by byte')
    for (let index = 0; index < 300; index += 1) body.add(1)
    expect(cuts).toEqual([['byte by byte', 'crowded']])
  })

  test('open text never exceeds the limit, and nothing is truncated twice or after its end', () => {
    const steps = fc.array(
      fc.record({
        body: fc.nat({ max: 9 }),
        bytes: fc.nat({ max: 60 * kilobyte }),
        ends: fc.boolean(),
      }),
      { maxLength: 100 },
    )
    fc.assert(
      fc.property(steps, given => {
        const { begin, cuts } = track(100 * kilobyte)
        const bodies = Array.from({ length: 10 }, (_, index) => ({
          ...begin(`${index}`),
          held: 0,
          over: false,
        }))
        for (const { body: index, bytes, ends } of given) {
          const body = bodies[index]
          if (body === undefined || body.over) continue
          body.held += bytes
          body.add(bytes)
          for (const [name] of cuts) Object.assign(bodies[Number(name)] ?? {}, { over: true, held: 0 })
          if (!ends) continue
          Object.assign(body, { over: true, held: 0 })
          body.end()
        }
        expect(bodies.reduce((sum, { held }) => sum + held, 0)).toBeLessThanOrEqual(100 * kilobyte)
        expect(new Set(cuts.map(([name]) => name)).size).toBe(cuts.length)
      }),
    )
  })
})

describe('slow senders', () => {
  test('one that sends nothing is cut after ten seconds, one at 16 KB a second never', async () => {
    const { begin, clock, cuts } = track(10_000 * kilobyte)
    begin('idle')
    const steady = begin('steady')
    for (let second = 0; second < 10; second += 1) {
      expect(cuts).toEqual([])
      steady.add(16 * kilobyte)
      await clock.advance(1000)
    }
    expect(cuts).toEqual([['idle', 'slow']])
    for (let second = 0; second < 100; second += 1) {
      steady.add(16 * kilobyte)
      await clock.advance(1000)
    }
    expect(cuts).toHaveLength(1)
    await clock.advance(2000)
    expect(cuts.at(-1)).toEqual(['steady', 'slow'])
  })

  test('no timer runs on behind the last body, and none after the end', async () => {
    const { begin, bodies, clock, cuts } = track(100 * kilobyte)
    begin('ended').end()
    await clock.advance(1000)
    expect(clock.sleepers).toBe(0)
    begin('closed')
    expect(clock.sleepers).toBe(1)
    bodies.close()
    await clock.advance(60_000)
    expect(clock.sleepers).toBe(0)
    expect(cuts).toEqual([])
  })
})

function track(maxBytes: number) {
  const cuts: [string, CutReason][] = []
  const manual = manualClock()
  const clock = {
    ...manual,
    sleepers: 0,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      clock.sleepers += 1
      await manual.sleep(milliseconds, signal).finally(() => {
        clock.sleepers -= 1
      })
    },
  }
  const bodies = createOpenBodies({ clock, maxBytes })
  return {
    cuts,
    clock,
    bodies,
    begin(name: string) {
      const body: OpenBody = {
        index: -1,
        begunAt: 0,
        bytes: 0,
        heldBytes: 0,
        onCut: reason => void cuts.push([name, reason]),
      }
      bodies.track(body)
      return { add: (bytes: number) => bodies.add(body, bytes), end: () => bodies.end(body) }
    },
  }
}
