import { expect, test } from 'vitest'
import { createTeamGate } from '../../../src/project/apply/apply-plan.ts'

/** Work that ends when the test says so, and how many of it run at once. */
function workbench() {
  const ends: (() => void)[] = []
  let running = 0
  const work = async () => {
    running += 1
    await new Promise<void>(resolve => ends.push(resolve))
    running -= 1
  }
  return { work, running: () => running, end: () => ends.shift()?.() }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('without a team on record, all is created side by side', async () => {
  const gate = createTeamGate({ teamId: undefined })
  const bench = workbench()
  const both = [gate.pass(bench.work), gate.pass(bench.work)]
  await turn()
  expect(bench.running()).toBe(2)
  bench.end()
  bench.end()
  await Promise.all(both)
})

test('one at a time until a response identifies a team, even after failures, then concurrently', async () => {
  const gate = createTeamGate({ teamId: 'team-1' })
  const bench = workbench()
  const failed = gate.pass(() => Promise.reject(new Error('refused')))
  const waiting = [gate.pass(bench.work), gate.pass(bench.work)]
  await expect(failed).rejects.toThrow('refused')
  await turn()
  expect(bench.running()).toBe(1)
  gate.answered({})
  expect(gate.open).toBe(false)
  gate.answered({ teamId: 'team-1' })
  const free = gate.pass(bench.work)
  await turn()
  expect(bench.running()).toBe(2)
  for (const _ of [1, 2, 3]) {
    bench.end()
    await turn()
  }
  await Promise.all([...waiting, free])
})
