import { expect, test } from 'vitest'
import { createOpenAiModel } from '../../../src/model/lazy-model.ts'
import type { ReplyEvent, ReplyRequest } from '../../../src/sandbox/engine/reply.ts'
import { createModelResponder } from '../../../src/sandbox/reply/model-responder.ts'
import type { CallTool, ToolOutcome } from '../../../src/sandbox/tools/call-tool.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import { realClock } from '../../helpers/real-clock.ts'

type Options = Parameters<typeof createModelResponder>[0]

const responderAt = (url: string, options: Partial<Options> = {}) =>
  createModelResponder({
    model: createOpenAiModel({
      baseUrl: url,
      model: 'm',
      apiKey: undefined,
      timeout: 5000,
      clock: realClock,
    }),
    systemPrompt: 'Be brief.',
    earlier: [],
    temperature: 0,
    maxTokens: 256,
    splitter: undefined,
    tools: [],
    later: {
      say: () => expect.fail('nothing is said later'),
      work: () => expect.fail('nothing works later'),
    },
    callEnded: new AbortController().signal,
    ...options,
  })

const tool = (name: string, run: CallTool['run']): CallTool => ({
  name,
  description: `Does ${name}`,
  parameters: { type: 'object' },
  run,
})

const told = (outcome: Partial<ToolOutcome> = {}): ToolOutcome => ({ content: '{"ok":true}', ...outcome })

async function reply(
  responder: ReturnType<typeof createModelResponder>,
  request: Partial<ReplyRequest> = {},
): Promise<ReplyEvent[]> {
  const events: ReplyEvent[] = []
  await responder(
    {
      history: [{ type: 'said', role: 'user', text: 'Hello' }],
      unanswered: ['Hello'],
      signal: new AbortController().signal,
      ...request,
    },
    event => events.push(event),
  )
  return events
}

const said = (events: readonly ReplyEvent[]) =>
  events.flatMap(event => (event.kind === 'message' ? [event.text] : []))
const failures = (events: readonly ReplyEvent[]) =>
  events.flatMap(event => (event.kind === 'failure' ? [`${event.part}: ${event.message}`] : []))

test('drafts the text as it arrives and speaks it in segments', async () => {
  const server = await startModelServer({ say: ['One. |', ' Two', ' three'] })
  expect(await reply(responderAt(server.url, { splitter: '|' }))).toEqual([
    { kind: 'draft', text: 'One. ' },
    { kind: 'message', text: 'One.' },
    { kind: 'draft', text: ' Two' },
    { kind: 'draft', text: ' three' },
    { kind: 'message', text: 'Two three' },
    { kind: 'answered' },
  ])
})

test('tools run in order and speak, and the model gets their results', async () => {
  const server = await startModelServer(
    {
      calls: [
        { call: 'look', with: { day: 'Monday' } },
        { call: 'book', with: {} },
      ],
    },
    { say: 'Booked.' },
  )
  const ran: string[] = []
  const tools = [
    tool('look', async ({ arguments: given }, { say }) => {
      ran.push(`look ${JSON.stringify(given)}`)
      say('One moment.')
      return told({ content: '{"free":true}' })
    }),
    tool('book', async () => {
      ran.push('book')
      return told({ simulated: true })
    }),
  ]
  const events = await reply(responderAt(server.url, { tools }))
  expect(ran).toEqual(['look {"day":"Monday"}', 'book'])
  expect(said(events)).toEqual(['One moment.', 'Booked.'])
  expect(events.flatMap(event => (event.kind === 'tool-ended' ? [event.result] : []))).toEqual([
    { id: 'call_look', name: 'look', arguments: { day: 'Monday' }, content: '{"free":true}' },
    { id: 'call_book', name: 'book', arguments: {}, content: '{"ok":true}', simulated: true },
  ])
  expect(server.requests[1]?.body.messages.slice(2)).toEqual([
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
  expect(failures(events)).toEqual([])
})

test('a tool may end the call without asking the model again', async () => {
  const server = await startModelServer({ say: 'Very well. ', call: 'end_call', with: {} })
  const ending = { kind: 'end-call', message: 'Goodbye.' } as const
  const events = await reply(
    responderAt(server.url, { tools: [tool('end_call', async () => told({ ending }))] }),
  )
  expect(said(events)).toEqual(['Very well.'])
  expect(events.at(-1)).toEqual({ kind: 'ending', ending })
  expect(server.requests).toHaveLength(1)
})

test.each([
  ['arguments that are no object', { call: 'look', with: '[1]' }, 'are not a JSON object'],
  ['arguments that are no JSON', { call: 'look', with: '{"day":' }, 'are not a JSON object'],
  ['a tool that does not exist', { call: 'nobody', with: {} }, 'does not exist: nobody'],
])('%s: the tool is not run, the model is informed, and the call continues', async (_what, call, failure) => {
  const server = await startModelServer(call, { say: 'Sorry, which day?' })
  const events = await reply(
    responderAt(server.url, { tools: [tool('look', () => expect.fail('the tool ran'))] }),
  )
  expect(said(events)).toEqual(['Sorry, which day?'])
  expect(failures(events)[0]).toContain(failure)
  expect(server.requests[1]?.body.messages.at(-1)?.content).toContain(failure)
})

test('the model reads that a tool failed; one that breaks is a failure like any other', async () => {
  const server = await startModelServer(
    {
      calls: [
        { call: 'look', with: {} },
        { call: 'book', with: {} },
      ],
    },
    { say: 'I could not book it.' },
  )
  const tools = [
    tool('look', async () => told({ failure: 'its server answered 503' })),
    tool('book', () => Promise.reject(new Error('boom'))),
  ]
  const events = await reply(responderAt(server.url, { tools }))
  expect(failures(events)).toEqual(['tool: its server answered 503', 'tool: the tool book failed: boom'])
  expect(said(events)).toEqual(['I could not book it.'])
})

test('passes a tool’s late result to the call that waits for it', async () => {
  const server = await startModelServer({ call: 'book', with: {} }, { say: 'It is being booked.' })
  const later: unknown[] = []
  const outcome = Promise.resolve(told())
  const tools = [
    tool('book', async (_run, use) => {
      use.later(outcome)
      use.sayLater('It is booked.')
      return told({ content: '{"status":"accepted"}' })
    }),
  ]
  await reply(
    responderAt(server.url, {
      tools,
      later: { say: text => later.push(text), work: (run, work) => later.push(run.id, work) },
    }),
  )
  expect(later).toEqual(['call_book', outcome, 'It is booked.'])
})

test('a model that calls tools without end is stopped with an apology', async () => {
  const same = await startModelServer({ call: 'look', with: { day: 1 } })
  const tools = [tool('look', async () => told())]
  const events = await reply(responderAt(same.url, { tools }))
  expect(failures(events)).toEqual(['model: the model calls look again and again'])
  expect(said(events)).toEqual([expect.stringContaining('I am sorry')])
  expect(same.requests).toHaveLength(3)

  const varying = await startModelServer((_body, index) => ({ call: 'look', with: { index } }))
  const others = await reply(responderAt(varying.url, { tools }))
  expect(failures(others)).toEqual([expect.stringContaining('asked for tools 9 times')])
  expect(varying.requests).toHaveLength(9)
})

test('the same tool call in two consecutive rounds, or twice in one, is not a loop', async () => {
  const look = { call: 'look', with: '{"day": 1}' }
  const server = await startModelServer(
    { calls: [look, look] },
    { calls: [look, look] },
    { call: 'book', with: {} },
    { call: 'look', with: '{"day":1}' },
    { say: 'Done.' },
  )
  const tools = ['look', 'book'].map(name => tool(name, async () => told()))
  const events = await reply(responderAt(server.url, { tools }))
  expect(failures(events)).toEqual([])
  expect(said(events)).toEqual(['Done.'])
  const ids = events.flatMap(event => (event.kind === 'tool-ended' ? [event.result.id] : []))
  expect(new Set(ids).size).toBe(6)
})

test('speaks a tool’s message after its end', async () => {
  const server = await startModelServer({ call: 'book', with: {} }, { say: 'Done.' })
  const later: string[] = []
  let say: ((text: string) => void) | undefined
  const tools = [
    tool('book', async (_run, use) => {
      say = use.say
      return told()
    }),
  ]
  const events = await reply(
    responderAt(server.url, {
      tools,
      later: { say: text => later.push(text), work: () => expect.fail('nothing works later') },
    }),
  )
  say?.('By the way.')
  expect(said(events)).toEqual(['Done.'])
  expect(later).toEqual(['By the way.'])
})

test.each([
  ['500', { status: 500, message: 'overloaded' } as const, [], 'the model responded 500: overloaded'],
  ['breaks off', { breakOff: 'We are open', how: 'end' } as const, ['We are open'], 'ended early'],
  ['nothing', { say: ' ' } as const, [], 'response is empty'],
])('apologizes if a model fails (%s), and keeps what was said', async (_what, given, before, failure) => {
  const server = await startModelServer(given)
  const events = await reply(responderAt(server.url))
  expect(said(events)).toEqual([
    ...before,
    before.length === 0
      ? 'I am sorry, something went wrong on my side. Could you say that again?'
      : 'I am sorry, I lost my thread. Could you say that again?',
  ])
  expect(failures(events)).toEqual([expect.stringContaining(failure)])
})

test('stops a canceled reply silently, after a running tool ends', async () => {
  const server = await startModelServer(
    {
      calls: [
        { call: 'book', with: {} },
        { call: 'book', with: { another: true } },
      ],
    },
    { say: 'never asked for' },
  )
  const stop = new AbortController()
  const tools = [
    tool('book', async () => {
      stop.abort()
      return told()
    }),
  ]
  const events = await reply(responderAt(server.url, { tools }), { signal: stop.signal })
  expect(events.map(({ kind }) => kind)).toEqual(['tool-started', 'tool-ended', 'answered'])
  expect(server.requests).toHaveLength(1)

  const hanging = await startModelServer({ hangAfter: 'We are ' })
  const barge = new AbortController()
  const heard: ReplyEvent[] = []
  await responderAt(hanging.url)({ history: [], unanswered: [], signal: barge.signal }, event => {
    heard.push(event)
    if (heard.length === 2) barge.abort()
  })
  expect(heard.map(({ kind }) => kind)).toEqual(['draft', 'draft'])
  await hanging.requests[0]?.left
})
