import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ShownPerson } from '../../../../src/web/page/batch/batch-model.ts'
import {
  createPeopleLoader,
  lastPage,
  type PeoplePage,
  type PeopleQuery,
} from '../../../../src/web/page/batch/people-loader.ts'

const person = (id: string): ShownPerson => ({ id, numbers: [], status: 'due', nextAt: null, attempts: [] })

/** A loader whose reads and intervals the test ends. */
function createTestLoader() {
  const reads: { query: PeopleQuery; end(page: PeoplePage): Promise<void>; fail(): Promise<void> }[] = []
  const intervals: (() => void)[] = []
  let loaded = 0
  const loader = createPeopleLoader({
    read: query =>
      new Promise((resolve, reject) => {
        const end = async (page: PeoplePage) => {
          resolve(page)
          await turn()
        }
        const fail = async () => {
          reject(new Error('no connection'))
          await turn()
        }
        reads.push({ query, end, fail })
      }),
    onLoaded: () => void loaded++,
    later: run => void intervals.push(run),
  })
  return { loader, reads, intervals, loaded: () => loaded }
}

test('reads changes at most once per interval, and the last one in any case', async () => {
  const { loader, reads, intervals } = createTestLoader()
  for (let change = 0; change < 50; change += 1) loader.changed()
  expect(reads).toHaveLength(1)
  await reads[0]?.end({ total: 0, rows: [] })
  expect(reads).toHaveLength(1)
  intervals.shift()?.()
  expect(reads).toHaveLength(2)
  await reads[1]?.end({ total: 0, rows: [] })
  intervals.shift()?.()
  expect(reads).toHaveLength(2)
  loader.changed()
  expect(reads).toHaveLength(3)
})

test('reads at once what the reader asks for, from the first page', () => {
  const { loader, reads } = createTestLoader()
  loader.ask({ from: 300 })
  loader.ask({ status: 'busy' })
  loader.ask({ search: 'x' })
  expect(reads.map(({ query: { status, search, from } }) => [status, search, from])).toEqual([
    [undefined, '', 300],
    ['busy', '', 0],
    ['busy', 'x', 0],
  ])
})

test('drops a response that was overtaken', async () => {
  const { loader, reads, loaded } = createTestLoader()
  loader.ask({ search: 'a' })
  loader.ask({ search: 'ab' })
  await reads[1]?.end({ total: 1, rows: [person('ab')] })
  await reads[0]?.end({ total: 9, rows: [person('a')] })
  expect(loader.currentPage).toMatchObject({ total: 1, query: { search: 'ab' } })
  expect(loaded()).toBe(1)
})

test('keeps the last page without a connection, and reads again', async () => {
  const { loader, reads, intervals } = createTestLoader()
  loader.changed()
  await reads[0]?.end({ total: 1, rows: [person('a')] })
  intervals.shift()?.()
  loader.changed()
  await reads[1]?.fail()
  expect(loader.currentPage?.rows).toHaveLength(1)
  intervals.shift()?.()
  loader.changed()
  expect(reads).toHaveLength(3)
})

test('goes back to the last page when people no longer match', async () => {
  const { loader, reads } = createTestLoader()
  loader.ask({ from: 500 })
  await reads[0]?.end({ total: 250, rows: [] })
  expect(reads[1]?.query.from).toBe(200)
  await reads[1]?.end({ total: 250, rows: [person('last')] })
  expect(loader.query.from).toBe(200)
})

test('the last page begins at a multiple of a hundred', () => {
  expect([0, 1, 100, 101, 100_000].map(lastPage)).toEqual([0, 0, 0, 100, 99_900])
})
