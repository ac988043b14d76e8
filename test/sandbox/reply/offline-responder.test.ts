import { describe, expect, test } from 'vitest'
import type { HistoryItem, ReplyEvent } from '../../../src/sandbox/engine/reply.ts'
import { createStore } from '../../../src/sandbox/records/store.ts'
import { createOfflineResponder } from '../../../src/sandbox/reply/offline-responder.ts'
import { createKnowledge } from '../../../src/sandbox/tools/knowledge.ts'
import { startToolServer } from '../../helpers/tool-server.ts'
import { toolsOfCall } from '../tools/call-tools.ts'

const knowledge = createKnowledge(
  createStore([
    {
      kind: 'faq',
      knowledgeBaseId: 'desk',
      entries: [
        { id: '1', question: 'When are you open?', answer: 'Nine to  five.' },
        { id: '2', question: 'Where can I park?', answer: 'Behind the building.' },
      ],
    },
  ]),
)
const onlyListens = 'This is the callyard sandbox: no model is connected, so I can only listen.'
const notFound = 'This is the callyard sandbox: no entry of my knowledge base is about that.'
const switches = { callForward: true, appointment: true, waitList: true, volumeControl: true }

function responder(
  brief: Parameters<typeof toolsOfCall>[0] = {},
  world: Parameters<typeof toolsOfCall>[1] = {},
) {
  const knowledgeBaseIds = brief.knowledgeBaseIds ?? []
  const { tools } = toolsOfCall(brief, { ...world, knowledge })
  const respond = createOfflineResponder({
    callId: 'CC-1',
    knowledge,
    knowledgeBaseIds,
    tools,
    placedAt: new Date('2026-01-01T00:00:00Z'),
    later: { say: () => {}, work: () => {} },
    callEnded: new AbortController().signal,
  })
  return async (
    unanswered: readonly string[],
    {
      history = [],
      watch,
    }: { history?: readonly HistoryItem[]; watch?: (event: ReplyEvent, abort: () => void) => void } = {},
  ) => {
    const events: ReplyEvent[] = []
    const stop = new AbortController()
    await respond({ history, unanswered, signal: stop.signal }, event => {
      events.push(event)
      watch?.(event, () => stop.abort())
    })
    return events
  }
}

const withoutDrafts = (events: readonly ReplyEvent[]) => events.filter(({ kind }) => kind !== 'draft')
const texts = (events: readonly ReplyEvent[]) =>
  events.flatMap(event => (event.kind === 'message' ? [event.text] : []))

test('replies to each line from the FAQ, word by word', async () => {
  const reply = responder({ knowledgeBaseIds: ['desk'] })
  expect(await reply(['When are you open?', 'And where can I park?'])).toEqual([
    { kind: 'draft', text: 'Nine ' },
    { kind: 'draft', text: 'to ' },
    { kind: 'draft', text: ' ' },
    { kind: 'draft', text: 'five.' },
    { kind: 'message', text: 'Nine to  five.' },
    { kind: 'answered' },
    { kind: 'draft', text: 'Behind ' },
    { kind: 'draft', text: 'the ' },
    { kind: 'draft', text: 'building.' },
    { kind: 'message', text: 'Behind the building.' },
    { kind: 'answered' },
  ])
})

test.each([
  [[], onlyListens],
  [['desk'], notFound],
])('with the knowledge bases %j reports its kind once per reply', async (knowledgeBaseIds, line) => {
  const reply = responder({ knowledgeBaseIds })
  expect(withoutDrafts(await reply(['Do you sell cars?', 'Or boats?']))).toEqual([
    { kind: 'message', text: line, fallback: true },
  ])
  expect(texts(await reply(['Or planes?']))).toEqual([line])
})

test('books an appointment instead of a calendar', async () => {
  const events = withoutDrafts(
    await responder({ switches })(['Book an appointment for 2026-05-04 at 2 pm, please']),
  )
  expect(events).toEqual([
    {
      kind: 'tool-started',
      run: {
        id: 'offline-CC-1-1',
        name: 'book_appointment_slot',
        arguments: { day: '2026-05-04', time: '14:00' },
      },
    },
    { kind: 'tool-ended', result: expect.objectContaining({ id: 'offline-CC-1-1', simulated: true }) },
    {
      kind: 'message',
      text: expect.stringMatching(
        /^This is the callyard sandbox in place of a calendar: 2026-05-04 at 14:00 is booked, reference SANDBOX-/,
      ),
    },
    { kind: 'answered' },
  ])
})

test('asks for the day, and books when it is reported', async () => {
  const reply = responder({ switches })
  const asked = await reply(['I need an appointment'])
  const [question = ''] = texts(asked)
  expect(question).toContain('YYYY-MM-DD')
  expect(asked).not.toContainEqual({ kind: 'answered' })
  const history: HistoryItem[] = [
    { type: 'said', role: 'assistant', text: question },
    { type: 'said', role: 'user', text: '2026-05-04' },
  ]
  expect(texts(await reply(['2026-05-04'], { history }))).toEqual([
    expect.stringContaining('2026-05-04 at 09:00 is booked'),
  ])
  expect(texts(await reply(['2026-02-30'], { history }))).toEqual([question])
  expect(texts(await reply(['2026-05-04']))).toEqual([onlyListens])
})

test('speaks of the wait list and the volume as the sandbox', async () => {
  const reply = responder({ switches })
  expect(texts(await reply(['Put me on the wait list', 'Louder', 'Louder, please', 'Too loud']))).toEqual([
    expect.stringMatching(/^This is the callyard sandbox in place of a wait list: you are number [1-9]\.$/),
    'This is the callyard sandbox in place of a telephone: the volume is 60.',
    'This is the callyard sandbox in place of a telephone: the volume is 70.',
    'This is the callyard sandbox in place of a telephone: the volume is 60.',
  ])
})

test.each([
  ['Let me talk to a person', 'Sales'],
  ['Put me through to repairs, please', 'Repairs'],
])('%j forwards to %s and ends the reply', async (line, name) => {
  const forwardTargets = [
    { name: 'Sales', phoneNumber: '+12025550101' },
    { name: 'Repairs', phoneNumber: '+12025550102' },
  ]
  const reply = responder({ switches, forwardTargets })
  expect(withoutDrafts(await reply([line, 'When are you open?']))).toEqual([
    { kind: 'tool-started', run: { id: 'offline-CC-1-1', name: 'forward_call', arguments: { name } } },
    { kind: 'tool-ended', result: expect.objectContaining({ id: 'offline-CC-1-1' }) },
    { kind: 'answered' },
    {
      kind: 'ending',
      ending: {
        kind: 'forward',
        target: forwardTargets.find(target => target.name === name),
        message: `One moment, I am putting you through to ${name}.`,
      },
    },
  ])
})

test('reports that there is no number to forward to', async () => {
  const events = withoutDrafts(await responder({ switches })(['Let me talk to a person']))
  expect(events).toContainEqual({
    kind: 'tool-ended',
    result: expect.objectContaining({ failure: expect.stringContaining('callForwardData') }),
  })
  expect(texts(events)).toEqual(['This is the callyard sandbox: I have no number to put you through to.'])
})

test('runs no disabled tool and no function tool under any name', async () => {
  const lines = ['Let me talk to a person', 'I need an appointment', 'Louder']
  expect(texts(await responder()(lines))).toEqual([onlyListens])
  const server = await startToolServer({ json: {} })
  const own = { function: { name: 'change_volume' }, server: { url: server.url } }
  expect(texts(await responder({ switches: { volumeControl: true }, functionTools: [own] })(lines))).toEqual([
    onlyListens,
  ])
  expect(server.requests).toEqual([])
})

test('stops between lines when the reply is cancelled', async () => {
  const events = await responder({ knowledgeBaseIds: ['desk'] })(
    ['When are you open?', 'Where can I park?'],
    {
      watch: ({ kind }, abort) => {
        if (kind === 'message') abort()
      },
    },
  )
  expect(texts(events)).toEqual(['Nine to  five.'])
})

test('the same lines get the same replies', async () => {
  const lines = ['Book an appointment on 2026-05-04', 'Put me on the wait list', 'When are you open?']
  const brief = { switches, knowledgeBaseIds: ['desk'] }
  expect(await responder(brief)(lines)).toEqual(await responder(brief)(lines))
})

describe('function tools', () => {
  const booking = (server?: object) => ({
    _id: 't1',
    function: {
      name: 'book_appointment',
      parameters: {
        type: 'object',
        properties: { day: { type: 'string', format: 'date' } },
        required: ['day'],
      },
    },
    messages: [{ type: 'request-start', content: 'One moment.' }],
    ...(server === undefined ? {} : { server }),
  })
  const replies = (brief: Parameters<typeof toolsOfCall>[0]) =>
    responder({ knowledgeBaseIds: ['desk'], ...brief }, { simulates: true })
  const results = (events: readonly ReplyEvent[]) =>
    events.flatMap(event => (event.kind === 'tool-ended' ? [event.result] : []))

  test.each([
    ['no server', undefined, 'it has no server.url'],
    ['a server that is not running', { url: 'http://127.0.0.1:9/' }, 'its server failed: connection refused'],
    [
      'an address for examples',
      { url: 'https://workshop.example.com/' },
      'workshop.example.com is an example address',
    ],
  ])('that have %s are simulated and reported as such', async (_what, server, reason) => {
    const reply = replies({ functionTools: [booking(server)] })
    const events = await reply(['Book me in for Friday'])
    expect(results(events)).toEqual([
      {
        id: 'offline-CC-1-1',
        name: 'book_appointment',
        arguments: { day: '2026-01-02' },
        content: JSON.stringify({ day: '2026-01-02', simulated: true, reason }),
        simulated: true,
      },
    ])
    expect(texts(events)).toEqual([
      'One moment.',
      'This is the callyard sandbox in place of your server: book_appointment is done, day 2026-01-02. Nothing real happened.',
    ])
    expect(await replies({ functionTools: [booking(server)] })(['Book me in for Friday'])).toEqual(events)
  })

  test('that have a server are called, with results spoken and rejections as failures', async () => {
    const server = await startToolServer({ json: { message: 'Booked, reference A-17.' } }, { status: 409 })
    const reply = replies({ functionTools: [booking({ url: server.url })] })
    const booked = await reply(['Book me in for Friday'])
    expect(texts(booked)).toEqual(['One moment.', 'Booked, reference A-17.'])
    expect(results(booked)[0]).not.toHaveProperty('simulated')
    const refused = await reply(['Book me in for Friday'])
    expect(results(refused)[0]).toMatchObject({ failure: expect.stringContaining('409') })
    expect(server.requests.map(({ body }) => body.message.toolCall.arguments)).toEqual([
      { day: '2026-01-02' },
      { day: '2026-01-02' },
    ])
  })

  test('leave to the FAQ what it is about at least as much', async () => {
    const open = { _id: 't2', function: { name: 'open_ticket', parameters: booking().function.parameters } }
    const reply = replies({ functionTools: [open] })
    expect(texts(await reply(['When are you open?']))).toEqual(['Nine to  five.'])
    expect(results(await reply(['Open a ticket for Friday']))).toHaveLength(1)
  })

  test('does not call tools whose parameters no text can fill, and reports them', async () => {
    const code = {
      type: 'object',
      properties: { code: { type: 'string', pattern: '^[A-Z]{4}$' } },
      required: ['code'],
    }
    const reply = replies({
      functionTools: [{ _id: 't3', function: { name: 'check_code', parameters: code } }],
    })
    const events = await reply(['Check my code'])
    expect(results(events)).toEqual([])
    expect(events).toContainEqual({
      kind: 'failure',
      part: 'tool',
      message: expect.stringContaining(
        'tool check_code is not called: no arguments could be made for it: code must',
      ),
    })
  })
})
