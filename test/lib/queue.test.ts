import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyedQueue } from '../../src/lib/queue.ts'

test('jobs of a key run in order and one at a time, at most a limit in all, and all of them run', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', null), { maxLength: 60 }),
      fc.integer({ min: 1, max: 6 }),
      fc.scheduler(),
      async (keys, atOnce, scheduler) => {
        const running = new Set<string | null>()
        const order = new Map<string | null, number[]>()
        let most = 0
        const lanes = createKeyedQueue<number>(atOnce, async number => {
          const key = keys[number] ?? null
          expect(running.has(key)).toBe(false)
          running.add(key)
          most = Math.max(most, running.size)
          order.set(key, [...(order.get(key) ?? []), number])
          await scheduler.schedule(Promise.resolve())
          running.delete(key)
        })
        // Half of them come while others run.
        for (const [number, key] of keys.entries()) {
          lanes.push(key, number)
          if (number % 2 === 1 && scheduler.count() > 0) await scheduler.waitOne()
        }
        const free = Math.min(new Set(keys).size, atOnce)
        const empty = lanes.fewer(1)
        while (lanes.left > 0) {
          if (scheduler.count() > 0) await scheduler.waitOne()
          await new Promise<void>(resolve => setImmediate(resolve))
        }
        await empty
        expect(most).toBeLessThanOrEqual(free)
        for (const [key, numbers] of order) {
          expect(numbers).toEqual(keys.flatMap((each, number) => (each === key ? [number] : [])))
        }
        expect([...order.values()].flat()).toHaveLength(keys.length)
      },
    ),
  )
})

test('alternates between keys, so that many jobs of one do not delay another', async () => {
  const done: string[] = []
  const lanes = createKeyedQueue<string>(1, async item => void done.push(item))
  for (const item of ['a1', 'a2', 'a3']) lanes.push('a', item)
  lanes.push('b', 'b1')
  await lanes.fewer(1)
  expect(done).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('fewer resolves as soon as so few are left, for everybody who waits, and at once where they are', async () => {
  const releases: (() => void)[] = []
  const lanes = createKeyedQueue<number>(10, () => new Promise<void>(resolve => releases.push(resolve)))
  await lanes.fewer(1)
  for (const key of ['a', 'b', 'c']) lanes.push(key, 1)
  const reached: number[] = []
  const all = [3, 2, 1, 1].map(than => lanes.fewer(than).then(() => reached.push(than)))
  await lanes.fewer(4)
  expect(reached).toEqual([])
  releases.shift()?.()
  await all[0]
  expect(reached).toEqual([3])
  releases.shift()?.()
  await all[1]
  expect(reached).toEqual([3, 2])
  releases.shift()?.()
  await Promise.all(all)
  expect(reached).toEqual([3, 2, 1, 1])
})

test('a key with many thousand jobs keeps its order', async () => {
  const done: number[] = []
  const lanes = createKeyedQueue<number>(2, async item => void done.push(item))
  const all = Array.from({ length: 10_000 }, (_, index) => index)
  for (const item of all) lanes.push(null, item)
  await lanes.fewer(1)
  expect(done).toEqual(all)
})

test('many thousand keys take turns in order of arrival', async () => {
  const done: number[] = []
  const lanes = createKeyedQueue<number>(2, async item => void done.push(item))
  const all = Array.from({ length: 300_000 }, (_, index) => index)
  for (const item of all) lanes.push(item, item)
  await lanes.fewer(1)
  expect(done).toEqual(all)
})
