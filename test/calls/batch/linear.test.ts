import { expect, test } from 'vitest'
import { doneOf } from '../../../src/cli/commands/batch/print-run.ts'
import { type SimulatedRun, simulate } from './simulated-service.ts'

type Run = Parameters<NonNullable<SimulatedRun['onPrepared']>>[0]

const people = 400

test('a call costs the same, however many calls are in progress and people are in the list', async () => {
  const { run } = await simulate({ zones: Array.from({ length: people }, () => 'UTC') })
  const scans = { live: 0, people: 0 }
  const whilePlacing: (typeof scans)[] = []
  let prepared: Run | undefined
  /** Counts how often all calls in progress, or all people, are looked at. */
  const onPrepared = (created: Run) => {
    prepared = created
    const { live, queue } = created
    const [all, everybody] = [live.all, queue.people]
    Object.assign(live, {
      all() {
        scans.live += 1
        return all()
      },
    })
    Object.assign(queue, {
      people() {
        scans.people += 1
        return everybody()
      },
    })
  }
  const feed = {
    start: async () => undefined,
    failed: new Promise<never>(() => undefined),
    close: async () => undefined,
  }
  const end = await run({
    onPrepared,
    onEvent({ kind }) {
      if (prepared !== undefined) doneOf(prepared)
      if (kind === 'called') whilePlacing.push({ ...scans })
    },
    deps: { feed, call: async ({ attempt }) => ({ id: attempt }) },
  })
  expect(end).toBe('done')
  expect(whilePlacing).toHaveLength(people)
  expect(whilePlacing.at(-1)).toEqual({ live: 0, people: 0 })
  expect(prepared?.queue.counts.unclear).toBe(people)
})
