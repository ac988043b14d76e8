import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchFunctionTool, whyNotCalled } from '../../../src/sandbox/reply/match-function-tool.ts'
import type { CallTool } from '../../../src/sandbox/tools/call-tool.ts'
import { runs } from '../../helpers/every-case.ts'

/** A Thursday. */
const placedAt = new Date('2026-01-01T00:00:00Z')

const schema = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const book = {
  name: 'book_appointment',
  description: 'Books an appointment in the workshop',
  parameters: schema(
    {
      day: { type: 'string', format: 'date', description: 'Day of the appointment' },
      bicycle: { type: 'string', description: 'What is to be repaired' },
    },
    ['day'],
  ),
}
const order = {
  name: 'getOrderStatus',
  description: 'Gets the status of an order',
  parameters: schema({ orderNumber: { type: 'integer', minimum: 1 } }, ['orderNumber']),
}
const table = {
  name: 'reserve-table',
  parameters: schema(
    {
      people: { type: 'integer', minimum: 1, maximum: 20 },
      at: { type: 'string', format: 'date-time' },
      place: { type: 'string', enum: ['window', 'garden'] },
      note: { type: 'string' },
      contact: schema({ email: { type: 'string', format: 'email' } }, ['email']),
    },
    ['people', 'at', 'note'],
  ),
}

const toolsCalled = (...functions: readonly Partial<CallTool>[]) =>
  functions.map(
    (fields): CallTool => ({
      name: '',
      description: '',
      parameters: {},
      run: () => expect.fail('the tool ran'),
      ...fields,
    }),
  )

describe('a tool is meant', () => {
  test.each([
    ['Book me in for Friday', 'book_appointment', { day: '2026-01-02' }],
    ['I need an appointment', 'book_appointment', { day: '2026-01-02' }],
    ['Can I have an appointment on 3 March?', 'book_appointment', { day: '2026-03-03' }],
    ['Booking an appointment for January 5th, please.', 'book_appointment', { day: '2026-01-05' }],
    ['book me in', 'book_appointment', { day: '2026-01-02' }],
    ['What is the status of my order 1234?', 'getOrderStatus', { orderNumber: 1234 }],
    [
      'A table for four tomorrow at 7:30 pm in the garden, ada@example.com',
      'reserve-table',
      {
        people: 4,
        at: '2026-01-02T19:30:00Z',
        place: 'garden',
        note: 'A table for four tomorrow at 7:30 pm in the garden, ada@example.com',
        contact: { email: 'ada@example.com' },
      },
    ],
  ])('by %j', async (line, name, given) => {
    const match = matchFunctionTool(line, toolsCalled(book, order, table), placedAt)
    expect(match).toMatchObject({ tool: { name }, arguments: given })
    expect(match && (await whyNotCalled(match))).toBeUndefined()
  })

  test.each([
    'When are you open?',
    'Where is the workshop?',
    'Is the workshop open on Friday?',
    'How do I cancel my booking?',
    'Cancel my appointment on Friday',
    'Please move my appointment booking to Friday',
    'Can my bicycle be repaired by Friday?',
    'In what order are you open?',
    'Thank you, goodbye.',
    '…',
    '',
  ])('and not by %j', line => {
    expect(matchFunctionTool(line, toolsCalled(book, order, table), placedAt)).toBeUndefined()
  })

  test('prefers the one that matches more of the line', () => {
    const cancel = { name: 'cancel_appointment', parameters: schema({}) }
    for (const functions of [
      [book, cancel],
      [cancel, book],
    ]) {
      expect(
        matchFunctionTool('Cancel my appointment on Friday', toolsCalled(...functions), placedAt),
      ).toMatchObject({
        tool: { name: 'cancel_appointment' },
      })
    }
  })
})

test('reports arguments that violate the parameters, and parameters that are not a schema', async () => {
  const why = async (parameters: CallTool['parameters']) => {
    const match = matchFunctionTool(
      'Check my code',
      toolsCalled({ name: 'check_code', parameters }),
      placedAt,
    )
    return match === undefined ? 'no match' : whyNotCalled(match)
  }
  expect(await why(schema({ code: { type: 'string', pattern: '^[A-Z]{4}$' } }, ['code']))).toMatch(
    /code must match/,
  )
  expect(await why({ type: 'object', properties: { code: { type: 'nothing' } } })).toMatch(/cannot be used/)
  expect(
    await why(schema({ code: { type: 'string', pattern: '^[A-Z]{4}$', example: 'ABCD' } }, ['code'])),
  ).toBeUndefined()
})

test('for any text and schema, the generated arguments are valid and reproducible', async () => {
  const property = fc.oneof(
    fc.constantFrom<object>(
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'time' },
      { type: 'string', format: 'email' },
      { type: 'string', format: 'uuid' },
      { type: 'string', format: 'uri' },
      { type: 'number' },
      { type: 'integer', minimum: 3 },
      { type: 'boolean' },
      { type: ['null', 'string'] },
      { type: 'array', items: { type: 'integer' }, minItems: 2 },
      { enum: ['red', 'blue', 7] },
      { const: 'x' },
      {},
    ),
    fc.constant(schema({ inner: { type: 'string' } }, ['inner'])),
  )
  const properties = fc.dictionary(
    fc.constantFrom('day', 'time', 'size', 'phone', 'note', 'toString'),
    property,
  )
  const words = fc.constantFrom(
    'book',
    'Friday',
    'red',
    '7',
    '3',
    '2 pm',
    'today',
    'a@b.cd',
    '2026-02-30',
    'no',
    '5 May',
  )
  await fc.assert(
    fc.asyncProperty(properties, fc.array(words), async (all, said) => {
      const tools = toolsCalled({ name: 'book', parameters: schema(all, Object.keys(all)) })
      const line = ['book', ...said].join(' ')
      const match = matchFunctionTool(line, tools, placedAt)
      expect(matchFunctionTool(line, tools, placedAt)).toEqual(match)
      const reason = match && (await whyNotCalled(match))
      // A number that is said may be smaller than the parameter allows: that is reported.
      expect(reason ?? '').toMatch(/^$|must be >= 3/)
    }),
    { numRuns: runs(60) },
  )
})
