import { expect, test } from 'vitest'
import { analyse } from '../../../src/sandbox/analysis/analysis.ts'
import { type CallState, newCall } from '../../../src/sandbox/call/call-engine.ts'

const said = (...lines: string[]): CallState => ({
  ...newCall,
  phase: 'finished',
  messages: lines.map((text, index) => ({ messageId: String(index), role: 'user', text, at: 1000 * index })),
  startedAt: 0,
  endedAt: 9400,
  endedBy: 'user',
  asked: 4,
  answered: 3,
})

const call = (state: CallState, metadata?: Record<string, unknown>) => ({
  state,
  assistantName: 'Desk',
  metadata,
})

test('nothing is made that is not enabled', () => {
  expect(analyse(undefined, call(said('Hi')))).toEqual({})
  const plan = { summary: {}, successEvaluation: { enabled: false }, structuredData: { enabled: false } }
  expect(analyse(plan, call(said('Hi')))).toEqual({})
})

test('the summary is one sentence and the caller’s first line', () => {
  const plan = { summary: { enabled: true } }
  expect(analyse(plan, call(said('Hi', 'Bye'))).summary).toBe(
    'Desk and the caller exchanged 2 messages in 9 seconds; the caller hung up. The caller began with “Hi”.',
  )
  expect(analyse(plan, call({ ...said(), endedBy: 'system' })).summary).toBe(
    'Desk and the caller exchanged 0 messages in 9 seconds; the service ended it. The caller said nothing.',
  )
})

test.each([
  ['NumericScale', 3, '8'],
  ['NumericScale', 0, '1'],
  ['NumericScale', 4, '10'],
  ['PassFail', 3, 'fail'],
  [undefined, 4, 'pass'],
])('the rubric %j with %j of 4 answered', (rubric, answered, expected) => {
  const plan = { successEvaluation: { enabled: true, rubric } }
  expect(analyse(plan, call({ ...said('Hi'), answered })).successEvaluation).toBe(expected)
})

test('structured data comes from the metadata, else from what the caller said', () => {
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
  expect(analyse(plan, call(state, { order: 'A7', wrong: 'no' })).structuredData).toEqual({
    day: '2026-03-04',
    at: '9:30',
    mail: 'ada@example.test',
    phone: '+1 202 555 0101',
    people: 3,
    price: 12.5,
    agreed: true,
    order: 'A7',
    wrong: true,
  })
})
