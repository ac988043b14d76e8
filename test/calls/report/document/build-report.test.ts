import { expect, test } from 'vitest'
import { buildReport } from '../../../../src/calls/report/document/index.ts'
import type { CallFacts } from '../../../../src/calls/report/index.ts'
import { factsOf } from '../made-facts.ts'

function callsWith(replyMs: number, { passed, of }: { passed: number; of: number }): CallFacts[] {
  return Array.from({ length: of }, (_, index) =>
    factsOf(`${replyMs}-${index}`, {
      replies: [replyMs + ((index * 7) % 10) * 10],
      success: { passed: index < passed, score: undefined },
    }),
  )
}

test('marks only differences beyond chance, and whether they are for the worse', () => {
  const before = callsWith(1000, { passed: 18, of: 20 })
  const after = callsWith(3000, { passed: 16, of: 20 })
  const { changes = [] } = buildReport({ calls: after, baseline: before })
  expect(changes.find(({ metric, statistic }) => metric === 'reply' && statistic === 'p95')).toMatchObject({
    before: { value: 1090 },
    after: { value: 3090 },
    isBeyond: true,
    isWorse: true,
  })
  // 90 % and 80 % of twenty calls do not differ.
  expect(changes.find(({ metric }) => metric === 'success')).toMatchObject({ isBeyond: false })
  const { changes: mirrored = [] } = buildReport({ calls: before, baseline: after })
  expect(mirrored.find(({ metric }) => metric === 'reply')).toMatchObject({ isBeyond: true, isWorse: false })
  expect(mirrored.find(({ metric, word }) => metric === 'outcome' && word === 'answered')).toMatchObject({
    isBeyond: false,
  })
})

test('the worst calls come first, with their problems', () => {
  const slowest = { kind: 'reply', at: 5000, after: 'When?' } as const
  const { problems, slowest: slowestCalls } = buildReport({
    calls: [
      factsOf('fine'),
      factsOf('slow', { replies: [9000], slowest: { ...slowest, ms: 9000 }, silences: [5000] }),
      factsOf('quick', { replies: [100], slowest: { ...slowest, ms: 100 } }),
      factsOf('bad', { success: { passed: false, score: 1 } }),
      factsOf('broken', { outcome: 'failed' }),
    ],
  })
  expect(problems.map(({ call, problems: found }) => [call.call, ...found])).toEqual([
    ['broken', 'failed'],
    ['bad', 'unsuccessful'],
    ['slow', 'silent'],
  ])
  expect(slowestCalls.map(({ call }) => call)).toEqual(['slow', 'quick'])
})

test('groups by time in order, and by other facts with the largest group first', () => {
  const hour = (hours: number) => new Date(2026, 2, 1, hours).getTime()
  const calls = [
    factsOf('a', { at: hour(15), from: '+12025550100' }),
    factsOf('b', { at: hour(9), from: '+12025550101' }),
    factsOf('c', { at: hour(15), from: '+12025550101' }),
    factsOf('d', { at: hour(9) + 24 * 3_600_000, outcome: null }),
  ]
  const namesBy = (by: 'hour' | 'day' | 'from' | 'outcome') =>
    buildReport({ calls, by }).groups.map(({ name, figures }) => [name, figures.calls])
  expect(namesBy('hour')).toEqual([
    ['09:00', 2],
    ['15:00', 2],
  ])
  expect(namesBy('day')).toEqual([
    ['2026-03-01', 3],
    ['2026-03-02', 1],
  ])
  expect(namesBy('from')).toEqual([
    ['+12025550101', 2],
    [null, 1],
    ['+12025550100', 1],
  ])
  expect(namesBy('outcome')).toEqual([
    ['answered', 3],
    [null, 1],
  ])
})
