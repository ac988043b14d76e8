import { describe, expect, test } from 'vitest'
import { type ModelAnswer, startModelServer } from '../../helpers/model-server.ts'
import {
  beginCall,
  createTool,
  recordOf,
  startLiveSandbox,
  startTestSandbox,
  talk,
} from '../../helpers/test-sandbox.ts'
import { gate, startToolServer, type ToolServerAnswer } from '../../helpers/tool-server.ts'

type ModelServer = Awaited<ReturnType<typeof startModelServer>>

interface Tool {
  readonly name: string
  readonly answer?: ToolServerAnswer
  readonly fields?: object
}

/** A call of one line with a model and the tools of these names: what the assistant said, and what it did. */
async function callWith(
  answers: readonly ModelAnswer[] | ModelServer,
  tools: readonly Tool[] = [],
  assistant: object = {},
) {
  const model = 'url' in answers ? answers : await startModelServer(...answers)
  const sandbox = await startTestSandbox({ llm: { url: model.url } })
  const servers: Awaited<ReturnType<typeof startToolServer>>[] = []
  const assistantToolIds: unknown[] = []
  for (const { name, answer = { json: { ok: true } }, fields } of tools) {
    const server = await startToolServer(answer)
    servers.push(server)
    const { _id } = await createTool(sandbox, { function: { name }, server: { url: server.url }, ...fields })
    assistantToolIds.push(_id)
  }
  const record = await talk(sandbox, 'Hello', { assistantToolIds, ...assistant })
  return {
    record,
    said: record.messages.flatMap(({ role, text }) => (role === 'assistant' ? [text] : [])),
    failures: ((record.failures ?? []) as { part: string; message: string }[]).map(
      ({ part, message }) => `${part}: ${message}`,
    ),
    toolCalls: (record.toolCalls ?? []) as { id: string; name: string; content: string }[],
    requests: model.requests,
    servers,
  }
}

const apology = 'I am sorry, something went wrong on my side. Could you say that again?'
const lostThread = 'I am sorry, I lost my thread. Could you say that again?'

test('the text of a model is spoken in the parts between assistantResponseSplitter', async () => {
  const { said } = await callWith([{ say: ['One. |', ' Two', ' three'] }], [], {
    assistantResponseSplitter: '|',
  })
  expect(said).toEqual(['One.', 'Two three'])
})

test('tools run in order and speak, and the model gets their results', async () => {
  const fields = { messages: [{ type: 'request-start', content: 'One moment.' }] }
  const { said, toolCalls, requests, failures } = await callWith(
    [
      {
        calls: [
          { call: 'look', with: { day: 'Monday' } },
          { call: 'book', with: {} },
        ],
      },
      { say: 'Booked.' },
    ],
    [{ name: 'look', answer: { json: { free: true } }, fields }, { name: 'book' }],
  )
  expect(said).toEqual(['One moment.', 'Booked.'])
  expect(toolCalls).toMatchObject([
    { id: 'call_look', name: 'look', arguments: { day: 'Monday' }, content: '{"free":true}' },
    { id: 'call_book', name: 'book', arguments: {}, content: '{"ok":true}' },
  ])
  expect(requests[1]?.body.messages).toEqual([
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_look', type: 'function', function: { name: 'look', arguments: '{"day":"Monday"}' } },
        { id: 'call_book', type: 'function', function: { name: 'book', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_look', content: '{"free":true}' },
    { role: 'tool', tool_call_id: 'call_book', content: '{"ok":true}' },
  ])
  expect(failures).toEqual([])
})

test('a later reply has what was said and done in its order', async () => {
  const model = await startModelServer(
    { say: 'One.', call: 'book', with: { seats: 2 } },
    { say: 'Two.' },
    { say: 'Three.' },
  )
  const sandbox = await startTestSandbox({ llm: { url: model.url } })
  const { _id } = await createTool(sandbox, { server: { url: (await startToolServer()).url } })
  await talk(sandbox, ['Book', 'And?'], { assistantSystemPrompt: 'Be brief.', assistantToolIds: [_id] })
  expect(model.requests[2]?.body.messages).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Book' },
    { role: 'assistant', tool_calls: [{ function: { name: 'book', arguments: '{"seats":2}' } }] },
    { role: 'tool', content: '{}' },
    { role: 'assistant', content: 'One.' },
    { role: 'assistant', content: 'Two.' },
    { role: 'user', content: 'And?' },
  ])
})

test('a tool may end the call, and the model is not asked again', async () => {
  const { said, record, requests } = await callWith(
    [{ say: 'Very well. ', call: 'end_call', with: {} }],
    [],
    { assistantPredefinedTools: { endCall: true }, endCallMessage: 'Goodbye.' },
  )
  expect(said).toEqual(['Very well.', 'Goodbye.'])
  expect(record.callEndTriggerBy).toBe('assistant')
  expect(requests).toHaveLength(1)
})

test.each([
  ['arguments that are no object', { call: 'look', with: '[1]' }, 'are not a JSON object'],
  ['arguments that are no JSON', { call: 'look', with: '{"day":' }, 'are not a JSON object'],
  ['a tool that does not exist', { call: 'nobody', with: {} }, 'does not exist: nobody'],
])('%s: the tool is not run, and the model may try again', async (_what, call, failure) => {
  const { said, failures, requests, servers } = await callWith(
    [call, { say: 'Sorry, which day?' }],
    [{ name: 'look' }],
  )
  expect(said).toEqual(['Sorry, which day?'])
  expect(failures).toEqual([expect.stringContaining(failure)])
  expect(requests[1]?.body.messages.at(-1)?.content).toContain(failure)
  expect(servers[0]?.requests).toEqual([])
})

test('the model reads that a tool failed', async () => {
  const { said, failures, requests } = await callWith(
    [{ call: 'look', with: {} }, { say: 'I could not look.' }],
    [{ name: 'look', answer: { status: 503 } }],
  )
  expect(failures).toEqual([expect.stringMatching(/^tool: tool look: its server responded 503/)])
  expect(requests[1]?.body.messages.at(-1)?.content).toBe('{"error":"the tool\'s server responded 503"}')
  expect(said).toEqual(['I could not look.'])
})

test('a tool that breaks is a failure like any other', async () => {
  const model = await startModelServer({ call: 'book', with: {} }, { say: 'I could not book it.' })
  const answerTool = () => {
    throw new Error('boom')
  }
  const sandbox = await startTestSandbox({ llm: { url: model.url }, answerTool })
  const { _id } = await createTool(sandbox)
  const record = await talk(sandbox, 'Hello', { assistantToolIds: [_id] })
  expect(record.failures).toMatchObject([{ part: 'tool', message: 'the tool book failed: boom' }])
  expect(record.messages.at(-1)?.text).toBe('I could not book it.')
})

describe('a model that calls tools', () => {
  test('without end is stopped with an apology', async () => {
    const same = await callWith([{ call: 'look', with: { day: 1 } }], [{ name: 'look' }])
    expect(same.failures).toEqual(['model: the model calls look again and again'])
    expect(same.said).toEqual([apology])
    expect(same.requests).toHaveLength(3)
    const varying = await startModelServer((_body, index) => ({ call: 'look', with: { index } }))
    const others = await callWith(varying, [{ name: 'look' }])
    expect(others.failures).toEqual([expect.stringContaining('asked for tools 9 times')])
    expect(others.requests).toHaveLength(9)
  })

  test('twice in one round, or in two consecutive rounds, is in no loop', async () => {
    const look = { call: 'look', with: '{"day": 1}' }
    const { failures, said, toolCalls } = await callWith(
      [
        { calls: [look, look] },
        { calls: [look, look] },
        { call: 'book', with: {} },
        { call: 'look', with: '{"day":1}' },
        { say: 'Done.' },
      ],
      [{ name: 'look' }, { name: 'book' }],
    )
    expect(failures).toEqual([])
    expect(said).toEqual(['Done.'])
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(6)
  })
})

test.each([
  ['500', { status: 500, message: 'overloaded' } as const, [apology], 'the model responded 500: overloaded'],
  [
    'breaks off',
    { breakOff: 'We are open', how: 'end' } as const,
    ['We are open', lostThread],
    'ended early',
  ],
  ['nothing', { say: ' ' } as const, [apology], 'response is empty'],
])('apologizes if a model fails (%s), and keeps what was said', async (_what, answer, expected, failure) => {
  const { said, failures } = await callWith([answer])
  expect(said).toEqual(expected)
  expect(failures).toEqual([expect.stringContaining(failure)])
})

describe('a reply that the caller interrupts', () => {
  const interrupted = async (model: ModelServer, tools: readonly Record<string, unknown>[] = []) => {
    const sandbox = await startLiveSandbox({ llm: { url: model.url }, caller: 'typed' })
    const assistantToolIds: unknown[] = []
    for (const tool of tools) assistantToolIds.push((await createTool(sandbox, tool))._id)
    const id = await beginCall(sandbox, { assistant: { welcomeMessage: '', assistantToolIds } })
    await sandbox.nth('listening', 1)
    sandbox.act(id, { type: 'say', text: 'Hello' })
    return { sandbox, id, stop: () => sandbox.act(id, { type: 'say', text: 'Stop' }) }
  }

  test('is given up: the model is left, and nothing is reported', async () => {
    const model = await startModelServer({ hangAfter: 'We are ' }, { say: 'Yes?' })
    const { sandbox, id, stop } = await interrupted(model)
    await model.received(1)
    stop()
    await model.requests[0]?.left
    await sandbox.nth('listening', 2)
    expect((await recordOf(sandbox, id)).messages.at(-1)?.text).toBe('Yes?')
    expect(sandbox.events.filter(({ kind }) => kind === 'warning')).toEqual([])
  })

  test('ends the tool that runs, starts no other, and asks the model for the new line only', async () => {
    const booked = gate()
    const server = await startToolServer({ json: {}, after: booked.opened })
    const calls = [
      { call: 'book', with: {} },
      { call: 'book', with: { another: true } },
    ]
    const model = await startModelServer({ calls }, { say: 'Yes?' })
    const { sandbox, id, stop } = await interrupted(model, [{ server: { url: server.url } }])
    await server.received(1)
    stop()
    await sandbox.nth('message', 2)
    booked.open()
    await sandbox.nth('listening', 2)
    expect((await recordOf(sandbox, id)).messages.at(-1)?.text).toBe('Yes?')
    expect([server.requests.length, model.requests.length]).toEqual([1, 2])
  })
})
