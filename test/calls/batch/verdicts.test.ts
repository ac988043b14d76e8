import { expect, test } from 'vitest'
import { createVerdicts } from '../../../src/calls/batch/eligibility.ts'
import type { Person } from '../../../src/calls/batch/index.ts'
import { createBatchState } from '../../../src/calls/batch/state.ts'

const [first, second] = ['ada', 'ben'].map(id => ({ id }) as Person) as [Person, Person]

/** Asks for the verdict about one person, with another one who is next, and then about that one. */
async function askTwice(passedMs: number): Promise<number> {
  let now = 1_000_000_000
  let checks = 0
  const check = async (people: readonly unknown[]) => {
    checks += 1
    return people.map(() => 'yes')
  }
  const verdicts = createVerdicts(check, createBatchState([]), { now: () => now })
  await verdicts.of(first, [second])
  now += passedMs
  await verdicts.of(second, [])
  return checks
}

test('a verdict counts for five minutes by a clock that runs on, and not by one that was set back', async () => {
  const minute = 60_000
  expect(await askTwice(4 * minute)).toBe(1)
  expect(await askTwice(6 * minute)).toBe(2)
  expect(await askTwice(-60 * minute)).toBe(2)
})
