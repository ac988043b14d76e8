import { expect, test } from 'vitest'
import { type AnalyzedCall, analyzeByRule } from '../../../src/sandbox/analysis/by-rule.ts'
import { analysedCall, said } from './analyzed-calls.ts'

const analyze = async (plan: Parameters<typeof analyzeByRule>[0], call: AnalyzedCall) =>
  (await analyzeByRule(plan, call)).analysis

test('creates nothing that is not enabled', async () => {
  expect(await analyze({}, analysedCall(said('Hi')))).toEqual({})
  const plan = { summary: {}, successEvaluation: { enabled: false }, structuredData: { enabled: false } }
  expect(await analyze(plan, analysedCall(said('Hi')))).toEqual({})
})

test('the summary is one sentence and the caller’s first line', async () => {
  const plan = { summary: { enabled: true } }
  expect(await analyze(plan, analysedCall(said('Hi', 'Bye'))).then(made => made.summary)).toBe(
    'Desk and the caller exchanged 2 messages in 9 seconds; the caller hung up. The caller began with “Hi”.',
  )
  expect(await analyze(plan, analysedCall({ ...said(), endedBy: 'system' })).then(made => made.summary)).toBe(
    'Desk and the caller exchanged 0 messages in 9 seconds; the service ended it. The caller said nothing.',
  )
})

test.each([
  ['NumericScale', 3, '8'],
  ['NumericScale', 0, '1'],
  ['NumericScale', 4, '10'],
  ['PassFail', 3, 'fail'],
  [undefined, 4, 'pass'],
])('the rubric %j got %j of 4', async (rubric, answered, expected) => {
  const plan = { successEvaluation: { enabled: true, rubric } }
  expect(await analyze(plan, analysedCall({ ...said('Hi'), answered }))).toHaveProperty(
    'successEvaluation',
    expected,
  )
})

test('takes structured data from the metadata, else from the caller’s messages', async () => {
  const properties = {
    day: { type: 'string', format: 'date' },
    mail: { type: 'string', format: 'email' },
    phone: { type: 'string', format: 'phone' },
    at: { type: 'string', format: 'time' },
    people: { type: 'integer' },
    price: { type: 'number' },
    agreed: { type: 'boolean' },
    order: { type: 'string' },
    wrong: { type: 'boolean' },
    unknown: { type: 'string' },
    toString: { type: 'string' },
  }
  const state = said(
    'On 2026-03-04 at 9:30, please.',
    'I am ada@example.test or +1 202 555 0101.',
    'Yes, it was 12.50 for 3.',
  )
  const plan = { structuredData: { enabled: true, schema: { properties } } }
  expect(await analyze(plan, analysedCall(state, { order: 'A7', wrong: 'no' }))).toHaveProperty(
    'structuredData',
    {
      day: '2026-03-04',
      at: '9:30',
      mail: 'ada@example.test',
      phone: '+1 202 555 0101',
      people: 3,
      price: 12.5,
      agreed: true,
      order: 'A7',
      wrong: true,
    },
  )
})

test('an address is found at the end of a line of any length', async () => {
  const plan = {
    structuredData: {
      enabled: true,
      schema: { properties: { mail: { type: 'string', format: 'email' }, people: { type: 'integer' } } },
    },
  }
  const long = analysedCall(said('a'.repeat(1_000_000), `${'b '.repeat(100_000)}ada@example.test for 3`))
  expect(await analyze(plan, long)).toEqual({ structuredData: { mail: 'ada@example.test', people: 3 } })
})
