import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createDifferenceCollector,
  type PreparedReplay,
  replayCalls,
  showsDifference,
} from '../../../src/scenario/replay/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { noModels, restaurant, type TestProject, testCase } from '../run/run-cases.ts'
import { outline } from './outlines.ts'

const lines = [
  'When are you open?',
  'Are you open on Sunday?',
  'Book a table for 4 people',
  '/interrupt Wait',
  '/say-nothing 40',
  '/keys 1#',
  'Goodbye',
  '/hangup',
  'Something that nobody knows',
]

const options = {
  openModels: async () => noModels,
  clock: realClock,
  concurrency: 2,
  signal: new AbortController().signal,
}

function prepared(calls: readonly (readonly string[])[], variables = {}): PreparedReplay[] {
  return calls.map((turns, index) => ({
    id: `CC-${index}`,
    test: testCase({ id: `CC-${index}`, turns, variables }),
    recorded: outline([]),
  }))
}

async function replay(calls: readonly PreparedReplay[], deployed: TestProject, planned: TestProject) {
  const collector = createDifferenceCollector()
  for (const [{ id }, call] of await replayCalls(calls, { ...options, versions: { deployed, planned } }))
    if ('code' in call) collector.addNotReplayed(id, call)
    else collector.addReplay(call)
  return collector.summary()
}

const anyCalls = fc.array(fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 5,
})

test('on identical files no call differs, whatever the caller does', async () => {
  await fc.assert(
    fc.asyncProperty(anyCalls, async calls => {
      const summary = await replay(prepared(calls), restaurant(), restaurant())
      expect(summary).toMatchObject({ compared: calls.length, changed: 0, groups: [], notReplayed: [] })
    }),
    { numRuns: runs(10) },
  )
})

test('the order of calls has no effect, and the numbers of calls add up', async () => {
  const planned = restaurant({
    assistant: { endCallPhrases: ['sunday'], welcomeMessage: 'Good day' },
    tool: { function: { name: 'order_food', description: 'Orders food' } },
  })
  await fc.assert(
    fc.asyncProperty(anyCalls, async calls => {
      const all = prepared(calls, { name: 'Ada' })
      const summary = await replay(all, restaurant(), planned)
      expect(await replay(all.toReversed(), restaurant(), planned)).toEqual(summary)
      const ids = new Set(summary.groups.flatMap(group => group.calls.map(({ id }) => id)))
      expect(ids.size).toBe(summary.changed)
      expect(summary.compared + summary.notReplayed.length).toBe(calls.length)
      for (const [category, count] of Object.entries(summary.changes)) {
        // Only calls without another difference are in a group of the analysis.
        if (category === 'analysis') continue
        const groups = summary.groups.filter(({ difference }) => difference.category === category)
        expect(new Set(groups.flatMap(group => group.calls.map(({ id }) => id))).size).toBe(count)
      }
    }),
    { numRuns: runs(10) },
  )
})

test('groups equal differences of calls with other variables, and recognizes them on other versions', async () => {
  const calls = ['Ada', 'Bob'].flatMap((name, index) =>
    prepared([['When are you open?', 'Book a table for 4 people']], { name }).map(call => ({
      ...call,
      id: `CC-${index}`,
    })),
  )
  const planned = restaurant({ tool: { function: { name: 'order_food', description: 'Orders food' } } })
  const { groups } = await replay(calls, restaurant(), planned)
  expect(groups).toMatchObject([{ difference: { code: 'tool-dropped', tool: 'book_table' }, turn: 2 }])
  const [group] = groups
  if (group === undefined) throw new Error('there is no group')
  expect(group.calls.map(({ id }) => id)).toEqual(['CC-0', 'CC-1'])
  expect(await showsDifference(group, planned, options)).toBe(true)
  expect(await showsDifference(group, restaurant(), options)).toBe(false)
})

test('a replay that the service rejects is not compared', async () => {
  const [call] = prepared([['Hello']])
  if (call === undefined) throw new Error('there is no call')
  const rejected = { ...call, test: { ...call.test, overrides: { welcomeMessage: 7 } } }
  expect(await replay([rejected], restaurant(), restaurant())).toMatchObject({
    compared: 0,
    notReplayed: [{ reason: { code: 'failed', version: 'deployed' }, calls: ['CC-0'] }],
  })
})
