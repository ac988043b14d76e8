import { expect, test } from 'vitest'
import { createBatchRun } from '../../src/batch/run-batch.ts'
import { doneOf } from '../../src/commands/call/batch/print-run.ts'
import { memoryJournal } from './memory-journal.ts'
import { planList } from './plan-list.ts'

const people = 400

/** Runs a batch whose calls have no events, and counts how often all calls in progress, or all people, are looked at. */
async function countScans() {
  let now = Date.parse('2026-11-24T09:00:00Z')
  const clock = {
    now: () => now,
    async sleep(milliseconds: number) {
      now += Math.max(1, milliseconds)
    },
  }
  const cells = Array.from({ length: people }, (_, index) => [`+1202555${1000 + index}`])
  const batch = { list: 'list.csv', from: '+12025550100' }
  const plan = planList(batch, { columns: ['to'], cells }, { now })
  const journal = memoryJournal()
  const scans = { live: 0, people: 0 }
  const whilePlacing: (typeof scans)[] = []
  const run = createBatchRun(
    plan,
    { batch, file: 'batch' },
    {
      ...{ clock, journal, service: 'https://api.example.com', signal: new AbortController().signal },
      feed: {
        start: async () => undefined,
        failed: new Promise<never>(() => undefined),
        close: async () => undefined,
      },
      call: async ({ attempt }) => ({ id: attempt }),
      optOut: async () => undefined,
      reread: async before => before,
      onEvent(event) {
        doneOf(run)
        if (event.kind === 'called') whilePlacing.push({ ...scans })
      },
    },
  )
  const { live, roster } = run
  const [all, everybody] = [live.all, roster.people]
  Object.assign(live, {
    all() {
      scans.live += 1
      return all()
    },
  })
  Object.assign(roster, {
    people() {
      scans.people += 1
      return everybody()
    },
  })
  expect(await run.run()).toBe('done')
  return { whilePlacing, counts: roster.counts }
}

test('a call costs the same, however many calls are in progress and people are in the list', async () => {
  const { whilePlacing, counts } = await countScans()
  expect(whilePlacing).toHaveLength(people)
  expect(whilePlacing.at(-1)).toEqual({ live: 0, people: 0 })
  expect(counts.unclear).toBe(people)
})
