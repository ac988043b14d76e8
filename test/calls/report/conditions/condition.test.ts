import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  evaluateCondition,
  type FigureCondition,
  parseCondition,
} from '../../../../src/calls/report/conditions/index.ts'
import type { CallFacts } from '../../../../src/calls/report/index.ts'
import { factsOf } from '../made-facts.ts'

function parse(text: string, { live = false } = {}) {
  const parsed = parseCondition(text, { live })
  if ('problem' in parsed) throw new Error(`${parsed.problem.code} at ${parsed.problem.start}`)
  return parsed.condition
}

function problemOf(text: string, { live = false } = {}) {
  const parsed = parseCondition(text, { live })
  if ('condition' in parsed) throw new Error('it was read')
  const { code, start, end, near } = parsed.problem
  return { code, found: text.slice(start, end), near }
}

test('reads figures, operators, limits and groupings', () => {
  expect(parse('share(no-answer) > 0.4')).toMatchObject({
    figure: { statistic: 'share', metric: 'outcome', word: 'no-answer' },
    operator: '>',
    limit: { kind: 'number', value: 0.4 },
  })
  expect(parse('share(ended by system)>=20%')).toMatchObject({
    figure: { metric: 'ended-by', word: 'system' },
    operator: '>=',
    limit: { value: 0.2 },
  })
  expect(parse('p95(reply) > 3s by assistant')).toMatchObject({
    figure: { statistic: 'p95', metric: 'reply' },
    limit: { value: 3000 },
    by: 'assistant',
  })
  expect(parse('success < baseline - 0.05')).toMatchObject({
    figure: { statistic: 'share', metric: 'success' },
    limit: { kind: 'baseline', add: -0.05 },
  })
  expect(parse('p50(duration) <= baseline + 1.5m')).toMatchObject({ limit: { add: 90_000 } })
  expect(parse('calls < 10')).toMatchObject({ figure: { statistic: 'count', metric: 'calls' } })
  expect(parse('p99( tool.book-appointment ) > 500ms')).toMatchObject({
    figure: { statistic: 'p99', metric: 'tool.book-appointment' },
    limit: { value: 500 },
  })
  expect(parse('share(data.topic opening hours) > 5%')).toMatchObject({
    figure: { metric: 'data.topic', word: 'opening hours' },
  })
  expect(parse('share(opted out) > 1%')).toMatchObject({ figure: { metric: 'opted-out' } })
  expect(parse('opted-out > 1%')).toMatchObject({ figure: { metric: 'opted-out', word: undefined } })
})

test('reads windows and events that do not arrive only for live events', () => {
  const live = { live: true }
  expect(parse('p95(reply) over 10m > 3s', live)).toMatchObject({ window: { kind: 'time', ms: 600_000 } })
  expect(parse('share(failed) over last 50 calls > 20%', live)).toMatchObject({
    window: { kind: 'calls', calls: 50 },
  })
  expect(parse('count(ended by system) over 1h > 5', live)).toMatchObject({ figure: { statistic: 'count' } })
  expect(parse('no events for 15m between 09:00 and 18:00', live)).toEqual({
    kind: 'no-events',
    text: 'no events for 15m between 09:00 and 18:00',
    ms: 900_000,
    between: { from: 540, to: 1080 },
  })
  expect(parse('no events for 90s', live)).toMatchObject({ ms: 90_000, between: undefined })
  expect(problemOf('p95(reply) over 10m > 3s')).toMatchObject({ code: 'guard-only', found: 'over' })
  expect(problemOf('no events for 15m')).toMatchObject({ code: 'guard-only', found: 'no events' })
  for (const [text, found] of [
    ['no events for 0s', '0s'],
    ['no events for 15m between 9:00 and 18:00', '9:00'],
    ['no events for 15m between 09:00 and 09:00', '09:00'],
    ['calls over last 0 calls > 3', '0'],
    ['calls over 10 > 3', '10'],
  ] as const)
    expect(problemOf(text, live)).toMatchObject({ code: 'needs-value', found })
  expect(problemOf('success < baseline', live)).toMatchObject({ code: 'report-only', found: 'baseline' })
})

test('names the place of a problem, and what may be meant', () => {
  expect(problemOf('p95(replay) > 3s')).toEqual({ code: 'unknown-metric', found: 'replay', near: 'reply' })
  expect(problemOf('p95(reply) > 3s by assistent')).toEqual({
    code: 'unknown-grouping',
    found: 'assistent',
    near: 'assistant',
  })
  expect(problemOf('shar(busy) > 1')).toEqual({ code: 'unknown-statistic', found: 'shar', near: 'share' })
  expect(problemOf('p95(reply) > 40%')).toMatchObject({ code: 'wrong-unit', found: '40%' })
  expect(problemOf('p95(reply) > 3')).toMatchObject({ code: 'wrong-unit', found: '3' })
  expect(problemOf('share(busy) > 3s')).toMatchObject({ code: 'wrong-unit', found: '3s' })
  expect(problemOf('share(busy) > 40')).toMatchObject({ code: 'wrong-unit', found: '40' })
  expect(problemOf('p95(success) > 1')).toMatchObject({ code: 'wrong-statistic', found: 'p95' })
  expect(problemOf('share(outcome) > 1')).toMatchObject({ code: 'needs-word', found: 'share' })
  expect(problemOf('reply > 3s')).toMatchObject({ code: 'needs-statistic', found: 'reply' })
  expect(problemOf('p95(reply) = 3s')).toMatchObject({ code: 'expected', found: '=' })
  expect(problemOf('p95(reply > 3s')).toMatchObject({ code: 'expected', found: '' })
  expect(problemOf('p95(reply) > 3s, success < 1')).toMatchObject({ code: 'expected' })
  for (const text of ['', '  ']) expect(problemOf(text)).toMatchObject({ code: 'empty' })
  expect(problemOf('p95(reply) > -3s')).toMatchObject({ code: 'needs-limit', found: '-3s' })
  expect(problemOf('p95(reply) >')).toMatchObject({ code: 'needs-limit', found: '' })
})

test('suggests only words', () => {
  for (const text of ['share(busy)', 'p95(reply) => 3s', 'p95(reply > 3s', 'p0(reply) > 3s'])
    expect(problemOf(text).near).toBeUndefined()
  expect(problemOf('p95(rply) > 3s').near).toBe('reply')
})

test('any text is read or has a problem inside of it', () => {
  const part = fc.constantFrom(
    ...['share', 'p95', 'count', '(', ')', 'reply', 'ended by', 'system', '>', '<=', '3s', '0.4', '20%', ' '],
    ...['baseline', '-', 'by', 'assistant', 'over', 'last', '50', 'calls', 'no events for', '10m', 'é', '👍'],
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.boolean(), (parts, live) => {
      const text = parts.join(' ')
      const parsed = parseCondition(text, { live })
      if ('condition' in parsed) {
        expect(parsed.condition.text).toBe(text)
        return
      }
      expect(parsed.problem.start).toBeLessThanOrEqual(text.length)
      expect(parsed.problem.end).toBeGreaterThan(parsed.problem.start)
    }),
  )
})

function evaluate(text: string, calls: readonly CallFacts[], baseline?: readonly CallFacts[]) {
  return evaluateCondition(parse(text) as FigureCondition, calls, baseline).map(
    ({ group, value, limit, holds }) => ({ ...(group !== undefined && { group }), value, limit, holds }),
  )
}

const calls = [
  factsOf('a', { assistant: 'Day', replies: [1000, 2000], success: { passed: true, score: undefined } }),
  factsOf('b', { assistant: 'Day', outcome: 'busy' }),
  factsOf('c', { assistant: 'Night', replies: [5000], success: { passed: false, score: 2 } }),
  factsOf('d', { assistant: null, outcome: null, data: { topic: ['hours'] } }),
]

test('evaluates a condition for all calls', () => {
  expect(evaluate('share(busy) > 0.3', calls)).toEqual([{ value: 1 / 3, limit: 0.3, holds: true }])
  expect(evaluate('share(failed) > 0', calls)).toEqual([{ value: 0, limit: 0, holds: false }])
  expect(evaluate('p95(reply) >= 5s', calls)).toEqual([{ value: 5000, limit: 5000, holds: true }])
  expect(evaluate('mean(reply) < 2s', calls)).toEqual([{ value: 8000 / 3, limit: 2000, holds: false }])
  expect(evaluate('count(success) <= 1', calls)).toEqual([{ value: 1, limit: 1, holds: true }])
  expect(evaluate('calls > 3', calls)).toEqual([{ value: 4, limit: 3, holds: true }])
  expect(evaluate('count(data.topic Hours) > 0', calls)).toEqual([{ value: 1, limit: 0, holds: true }])
})

test('without data a condition has no value, and does not hold', () => {
  expect(evaluate('p95(first-word) > 1s', calls)).toEqual([{ value: undefined, limit: 1000, holds: false }])
  expect(evaluate('p95(tool.book) > 1s', calls)).toEqual([{ value: undefined, limit: 1000, holds: false }])
})

test('evaluates a condition for each group with data', () => {
  expect(evaluate('p95(reply) > 3s by assistant', calls)).toEqual([
    { group: 'Day', value: 2000, limit: 3000, holds: false },
    { group: 'Night', value: 5000, limit: 3000, holds: true },
  ])
})

test('compares with the baseline, and a group with its own', () => {
  const before = [
    factsOf('e', { assistant: 'Day', success: { passed: true, score: undefined }, replies: [500] }),
    factsOf('f', { assistant: 'Night', replies: [5000] }),
  ]
  expect(evaluate('success < baseline - 0.05', calls, before)).toEqual([
    { value: 0.5, limit: 0.95, holds: true },
  ])
  expect(evaluate('max(reply) > baseline + 1s by assistant', calls, before)).toMatchObject([
    { group: 'Day', limit: 1500, holds: true },
    { group: 'Night', limit: 6000, holds: false },
  ])
  expect(evaluate('success < baseline', calls, [])).toEqual([{ value: 0.5, limit: undefined, holds: false }])
})
