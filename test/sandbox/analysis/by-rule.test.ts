import { expect, test } from 'vitest'
import { analyzeByRule } from '../../../src/sandbox/analysis/by-rule.ts'
import { newCall } from '../../../src/sandbox/engine/call-state.ts'
import { openTestWorld, talkIn } from '../../helpers/test-sandbox.ts'

const knowing = { assistantPredefinedTools: { knowledgeBase: true }, assistantKnowledgeBaseIds: ['desk'] }

/** The analysis of a call with these lines; “Are you open?” is in the knowledge base. */
async function analyze(assistantAnalysis: object, caller: readonly string[], metadata = {}) {
  const world = await openTestWorld({
    entries: [
      {
        kind: 'faq',
        knowledgeBaseId: 'desk',
        entries: [{ id: '1', question: 'Are you open?', answer: 'Yes.' }],
      },
    ],
  })
  const assistant = { name: 'Desk', ...knowing, maxCallDuration: 1, idleTimeout: 600, assistantAnalysis }
  return (await talkIn(world, caller, assistant, { metadata })).analysis
}

test('creates nothing that is not enabled', async () => {
  expect(await analyze({}, ['Hi'])).toEqual({})
  const plan = { summary: {}, successEvaluation: { enabled: false }, structuredData: { enabled: false } }
  expect(await analyze(plan, ['Hi'])).toEqual({})
})

test.each([
  [
    ['Are you open?', 'Bye'],
    'Desk and the caller exchanged 4 messages in 7 seconds; the caller hung up. The caller began with “Are you open?”.',
  ],
  [
    ['/say-nothing 300'],
    'Desk and the caller exchanged 0 messages in 60 seconds; the service ended it. The caller said nothing.',
  ],
])('the summary of %j is one sentence and the first line', async (caller, summary) => {
  expect(await analyze({ summary: { enabled: true } }, caller)).toEqual({ summary })
})

test.each([
  ['NumericScale', 3, '8'],
  ['NumericScale', 0, '1'],
  ['NumericScale', 4, '10'],
  ['PercentageScale', 3, '75%'],
  ['DescriptiveScale', 2, 'Good'],
  ['LikertScale', 0, 'Strongly disagree'],
  ['PassFail', 3, 'fail'],
  [undefined, 4, 'pass'],
])('the rubric %j of %j replies to 4 lines is %s', async (rubric, answered, successEvaluation) => {
  const caller = Array.from({ length: 4 }, (_, index) => (index < answered ? 'Are you open?' : 'Cars?'))
  expect(await analyze({ successEvaluation: { enabled: true, rubric } }, caller)).toEqual({
    successEvaluation,
  })
})

test('takes structured data from the metadata, else from the lines of the caller', async () => {
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
  const caller = [
    'On 2026-03-04 at 9:30, please.',
    'I am ada@example.test or +1 202 555 0101.',
    'Yes, it was 12.50 for 3.',
  ]
  const plan = { structuredData: { enabled: true, schema: { properties } } }
  expect(await analyze(plan, caller, { order: 'A7', wrong: 'no' })).toEqual({
    structuredData: {
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
  })
})

test('an address is found at the end of a line of any length', async () => {
  const properties = { mail: { type: 'string', format: 'email' }, people: { type: 'integer' } }
  const plan = { structuredData: { enabled: true, schema: { type: 'object', properties } } } as const
  const said = ['a'.repeat(1_000_000), `${'b '.repeat(100_000)}ada@example.test for 3`]
  const messages = said.map((text, at) => ({ messageId: String(at), role: 'user' as const, text, at }))
  // Longer than anybody can speak in a call.
  const { analysis } = await analyzeByRule(plan, {
    ...{ ...newCall, messages, assistantName: 'Desk', metadata: undefined, toolCalls: [] },
  })
  expect(analysis).toEqual({ structuredData: { mail: 'ada@example.test', people: 3 } })
})
