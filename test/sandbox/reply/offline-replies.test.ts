import { expect, test } from 'vitest'
import { refusingOrigin } from '../../helpers/ports.ts'
import {
  beginCall,
  createTool,
  insertFaq,
  recordOf,
  startLiveSandbox,
  startTestSandbox,
  type TestSandbox,
  talk,
} from '../../helpers/test-sandbox.ts'
import { startToolServer } from '../../helpers/tool-server.ts'

const onlyListens = 'This is the callyard sandbox: no model is connected, so I can only listen.'
const notFound = 'This is the callyard sandbox: no entry of my knowledge base is about that.'
const knowing = {
  assistantPredefinedTools: { knowledgeBase: true },
  assistantKnowledgeBaseIds: ['desk'],
}
const answers = { 'When are you open?': 'Nine to  five.', 'Where can I park?': 'Behind the building.' }

const repliesIn = ({ messages }: Awaited<ReturnType<typeof recordOf>>) =>
  messages.flatMap(({ role, text }) => (role === 'assistant' ? [text] : []))

/** A booking tool of a project, by default without a server. */
const booking = (fields: object = {}) => ({
  function: {
    name: 'book_appointment',
    parameters: {
      type: 'object',
      properties: { day: { type: 'string', format: 'date' } },
      required: ['day'],
    },
  },
  messages: [{ type: 'request-start', content: 'One moment.' }],
  ...fields,
})

/** A call with one tool and the knowledge base: what the assistant said, and the record. */
async function talkWithTool(sandbox: TestSandbox, tool: Record<string, unknown>, ...caller: string[]) {
  const { _id } = await createTool(sandbox, tool)
  const record = await talk(sandbox, caller, { ...knowing, assistantToolIds: [_id] })
  return { record, said: repliesIn(record), toolCalls: record.toolCalls }
}

test('replies from the FAQ, also from entries that were just inserted', async () => {
  const sandbox = await startTestSandbox()
  await insertFaq(sandbox, answers)
  expect(repliesIn(await talk(sandbox, ['When are you open?', 'Do you sell gift cards?'], knowing))).toEqual([
    'Nine to  five.',
    notFound,
  ])
  await insertFaq(sandbox, { 'Do you sell gift cards?': 'We do.' })
  expect(repliesIn(await talk(sandbox, 'Do you sell gift cards?', knowing))).toEqual(['We do.'])
})

test('replies to each of several lines, and says once what it is', async () => {
  const sandbox = await startLiveSandbox()
  await insertFaq(sandbox, answers)
  let floors = 0
  const reply = async (assistant: object, ...lines: readonly string[]) => {
    const id = await beginCall(sandbox, { assistant: { welcomeMessage: '', ...assistant } })
    await sandbox.nth('listening', ++floors)
    for (const text of lines) sandbox.act(id, { type: 'say', text })
    await sandbox.nth('listening', ++floors)
    return repliesIn(await recordOf(sandbox, id))
  }
  expect(await reply(knowing, 'When are you open?', 'And where can I park?')).toEqual(Object.values(answers))
  expect(await reply(knowing, 'Do you sell cars?', 'Or boats?')).toEqual([notFound])
  expect(await reply({}, 'When are you open?', 'Louder')).toEqual([onlyListens])
})

test.each([
  ['no server', () => undefined, 'it has no server.url'],
  ['a server that is not running', refusingOrigin, 'its server failed: connection refused'],
  [
    'an address for examples',
    () => 'https://workshop.example.com/',
    'workshop.example.com is an example address',
  ],
])('simulates a tool with %s, and says so', async (_what, getUrl, reason) => {
  const sandbox = await startTestSandbox()
  const server = { url: await getUrl() }
  const { said, record, toolCalls } = await talkWithTool(
    sandbox,
    booking({ server }),
    'Book me in for Friday',
  )
  expect(said).toEqual([
    'One moment.',
    'This is the callyard sandbox in place of your server: book_appointment is done, day 2026-01-02. Nothing real happened.',
  ])
  expect(toolCalls).toMatchObject([
    {
      id: `offline-${record.id}-1`,
      name: 'book_appointment',
      arguments: { day: '2026-01-02' },
      content: JSON.stringify({ day: '2026-01-02', simulated: true, reason }),
      simulated: true,
    },
  ])
  expect(record).not.toHaveProperty('failures')
})

test('an asynchronous tool that is simulated has its result, however early it arrives', async () => {
  const tool = booking({ async: true, messages: [{ type: 'request-complete', content: 'It is booked.' }] })
  for (const server of [undefined, { url: await refusingOrigin() }]) {
    const sandbox = await startTestSandbox()
    const { said, toolCalls } = await talkWithTool(sandbox, { ...tool, server }, 'Book me in for Friday')
    expect(said).toContain('It is booked.')
    expect(toolCalls).toEqual([
      expect.objectContaining({ simulated: true, content: expect.stringContaining('reason') }),
    ])
  }
})

test('calls the server of a tool, and speaks its response; a rejection is a failure', async () => {
  const server = await startToolServer(
    { json: { message: 'Booked, reference A-17.' } },
    { json: { day: 'Friday', seats: 2, paid: false, note: '', more: {} } },
    { text: 'See you then.' },
    { status: 409 },
    'reset',
  )
  const lines = Array(5).fill('Book me in for Friday')
  const tool = booking({ server: { url: server.url }, messages: [] })
  const { said, toolCalls, record } = await talkWithTool(await startTestSandbox(), tool, ...lines)
  expect(said).toEqual([
    'Booked, reference A-17.',
    'This is the callyard sandbox: book_appointment answered, day Friday, seats 2, paid false.',
    'See you then.',
    'This is the callyard sandbox: book_appointment did not work.',
    'This is the callyard sandbox: book_appointment did not work.',
  ])
  expect(toolCalls).toMatchObject([
    ...[{}, {}, {}],
    { failure: expect.stringContaining('409') },
    { failure: expect.stringContaining('reset') },
  ])
  expect(JSON.stringify(toolCalls)).not.toContain('simulated')
  expect(record.failures).toMatchObject([{ part: 'tool' }, { part: 'tool' }])
  for (const { body } of server.requests)
    expect(body.message.toolCall.arguments).toEqual({ day: '2026-01-02' })
})

test('leaves to the FAQ what it is about at least as much as a tool', async () => {
  const sandbox = await startTestSandbox()
  await insertFaq(sandbox, answers)
  const { parameters } = booking().function
  const ticket = { function: { name: 'open_ticket', parameters } }
  const { said, toolCalls } = await talkWithTool(
    sandbox,
    ticket,
    'When are you open?',
    'Open a ticket for Friday',
  )
  expect(said[0]).toBe('Nine to  five.')
  expect(toolCalls).toMatchObject([{ name: 'open_ticket' }])
})

test('does not call a tool whose parameters no text can fill, and says why', async () => {
  const parameters = {
    type: 'object',
    properties: { code: { type: 'string', pattern: '^[A-Z]{4}$' } },
    required: ['code'],
  }
  const tool = { function: { name: 'check_code', parameters } }
  const { said, record, toolCalls } = await talkWithTool(await startTestSandbox(), tool, 'Check my code')
  expect([said, toolCalls]).toEqual([[notFound], undefined])
  expect(record.failures).toMatchObject([
    {
      message: expect.stringContaining(
        'tool check_code is not called: no arguments could be made for it: code must',
      ),
    },
  ])
})

test('uses no further tool for a reply that the caller interrupts', async () => {
  const used: string[] = []
  const sandbox = await startLiveSandbox({
    answerTool({ name }) {
      used.push(name)
      return { kind: 'returns', value: {}, after: 30_000 }
    },
  })
  const tool = async (name: string) => (await createTool(sandbox, booking({ function: { name } })))._id
  const assistantToolIds = [await tool('book_table'), await tool('ring_bell')]
  const id = await beginCall(sandbox, { assistant: { welcomeMessage: '', assistantToolIds } })
  await sandbox.nth('listening', 1)
  sandbox.act(id, { type: 'say', text: 'Book a table' })
  sandbox.act(id, { type: 'say', text: 'Ring the bell' })
  sandbox.act(id, { type: 'interrupt', text: 'Wait a moment, please' })
  await sandbox.nth('listening', 2)
  expect(used).toEqual(['book_table'])
  expect(repliesIn(await recordOf(sandbox, id))).toEqual(['One', onlyListens])
})
