import { expect, test } from 'vitest'
import type { StoredCall } from '../../../src/files/formats/control-api.ts'
import {
  type CallTrace,
  defaultStart,
  type ToolReplacement,
  type World,
  type WorldOptions,
} from '../../../src/sandbox/index.ts'
import { openTestWorld, talkIn } from '../../helpers/test-sandbox.ts'

const entries = [
  { id: 'e1', question: 'When are you open?', answer: 'Nine to five, {{name}}.' },
  { id: 'e2', question: 'Are you open on Sunday?', answer: 'Never on {{unset}}.' },
]
const bookTable = {
  _id: 'tool-1',
  function: {
    name: 'book_table',
    description: 'Books a table',
    parameters: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] },
  },
  server: { url: 'http://127.0.0.1:9/' },
  messages: [
    { type: 'request-start', content: 'One moment please.' },
    { type: 'request-response-delayed', content: 'It takes a little longer.', timingMilliseconds: 4000 },
    { type: 'request-failed', content: 'That did not work.' },
  ],
}

async function openTracedWorld(options: Partial<WorldOptions> = {}, tool: object = {}) {
  const events: CallTrace[] = []
  const world = await openTestWorld({
    entries: [
      { kind: 'faq', knowledgeBaseId: 'desk', entries },
      { kind: 'tool', record: { ...bookTable, ...tool } },
    ],
    trace: event => void events.push(event),
    ...options,
  })
  return { world, events }
}

const assistant = {
  welcomeMessage: 'Hello {{name}}, this is the restaurant.',
  assistantToolIds: ['tool-1'],
  assistantKnowledgeBaseIds: ['desk'],
  assistantPredefinedTools: { knowledgeBase: true },
  userInterruptionAckPlan: { enabled: false },
}

const talk = (world: World, caller: string[]): Promise<StoredCall> =>
  talkIn(world, caller, assistant, { assistantOverrides: { dynamicVariables: { name: 'Ada' } } })

const drawn = (events: readonly CallTrace[], from: string | undefined) => {
  const began = Date.parse(from ?? '')
  const time = (at: number | undefined) => (at === undefined ? '-' : String(at - began))
  return events.map(event => {
    switch (event.kind) {
      case 'said':
        return `${time(event.from)}-${time(event.until)} ${event.role}: ${event.text}${event.heard === event.text ? '' : ` (heard: ${event.heard})`}${event.fallback ? ' (fallback)' : ''}`
      case 'searched':
        return `${time(event.at)} searched ${event.question}: ${event.hits.map(({ entry }) => entry.id)} ${event.used}`
      case 'tool-ended':
        return `${time(event.at)} tool-ended ${event.result.content}`
      case 'broke':
        return event.message
      default:
        return `${time(event.at)} ${event.kind}`
    }
  })
}

test('traces a call: turns, messages, searches, tools', async () => {
  const answers: ToolReplacement[] = [{ kind: 'returns', value: { message: 'Booked.' }, after: 9000 }]
  const { world, events } = await openTracedWorld({ answerTool: () => answers[0] })
  const call = await talk(world, [
    'When are you open?',
    '/interrupt Wait',
    '/say-nothing 2',
    '/keys 12',
    'Do you sell cars?',
    'Book a table for 4 people',
    '/hangup',
  ])
  expect(drawn(events, call.startAt)).toMatchInlineSnapshot(`
    [
      "0-2267 assistant: Hello Ada, this is the restaurant.",
      "2267 caller-began",
      "2267-3467 user: When are you open?",
      "3867 searched When are you open?: e1,e2 true",
      "4467 caller-began",
      "3867-4667 assistant: Nine to five, Ada. (heard: Nine to)",
      "4467-4867 user: Wait",
      "5267 searched Wait:  false",
      "5267-10200 assistant: This is the callyard sandbox: no entry of my knowledge base is about that. (fallback)",
      "10200 caller-began",
      "12200 caller-paused",
      "12200 caller-began",
      "12800 caller-paused",
      "12800 caller-began",
      "12800-13933 user: Do you sell cars?",
      "14333 searched Do you sell cars?:  false",
      "14333-19266 assistant: This is the callyard sandbox: no entry of my knowledge base is about that. (fallback)",
      "19266 caller-began",
      "19266-20933 user: Book a table for 4 people",
      "21333 searched Book a table for 4 people:  false",
      "21333 tool-started",
      "21333-22533 assistant: One moment please.",
      "25333-27000 assistant: It takes a little longer.",
      "30333 tool-ended {"message":"Booked."}",
      "30333-30800 assistant: Booked.",
      "30800 caller-began",
    ]
  `)
  expect(call.callEndTriggerBy).toBe('user')
  expect(call).not.toHaveProperty('unsetVariables')
})

test('does not call a tool’s server, and fails or responds by its arguments in call time', async () => {
  const kinds: ToolReplacement[] = [
    { kind: 'fails', reason: 'it is closed', after: 0 },
    { kind: 'simulated', reason: 'a test gives no answer', after: 0 },
    { kind: 'returns', value: undefined, after: 0 },
  ]
  let asked = 0
  const { world } = await openTracedWorld({ answerTool: () => kinds[asked++] })
  const call = await talk(world, Array(3).fill('Book a table for 4 people'))
  expect(call.toolCalls).toEqual([
    expect.objectContaining({
      failure: 'tool book_table: it is closed',
      content: '{"error":"it is closed"}',
    }),
    expect.objectContaining({
      simulated: true,
      content: '{"people":4,"simulated":true,"reason":"a test gives no answer"}',
    }),
    expect.objectContaining({ content: '{}' }),
  ])
})

test('a tool in progress does not keep the call, and its result arrives afterwards', async () => {
  const { world, events } = await openTracedWorld(
    { answerTool: () => ({ kind: 'returns', value: { ok: true }, after: 600_000 }) },
    { async: true },
  )
  const call = await talk(world, ['Book a table for 4 people', 'Book a table for 2 people'])
  const ended = events.flatMap(event => (event.kind === 'tool-ended' ? [event] : []))
  expect(ended.map(({ at, result }) => [at === undefined, result.content])).toEqual([
    [false, '{"status":"accepted"}'],
    [false, '{"status":"accepted"}'],
    [true, '{"ok":true}'],
    [true, '{"ok":true}'],
  ])
  expect(call.toolCalls?.map(({ content }) => content)).toEqual(['{"ok":true}', '{"ok":true}'])
})

test('a reply that was interrupted while its tool works is followed by the next one when the tool is done', async () => {
  const { world, events } = await openTracedWorld({
    answerTool: () => ({ kind: 'returns', value: { message: 'Booked.' }, after: 30_000 }),
  })
  const call = await talk(world, ['Book a table for 4 people', '/interrupt When are you open?'])
  expect(drawn(events, call.startAt)).toMatchInlineSnapshot(`
    [
      "0-2267 assistant: Hello Ada, this is the restaurant.",
      "2267 caller-began",
      "2267-3934 user: Book a table for 4 people",
      "4334 searched Book a table for 4 people:  false",
      "4334 tool-started",
      "4934 caller-began",
      "4334-5134 assistant: One moment please. (heard: One moment)",
      "4934-6134 user: When are you open?",
      "34334 tool-ended {"message":"Booked."}",
      "34334 searched When are you open?: e1,e2 true",
      "34334-35534 assistant: Nine to five, Ada.",
    ]
  `)
})

test('worlds share records and indices, and neither sees what the other changes', async () => {
  const { world } = await openTracedWorld()
  await talk(world, ['When are you open?'])
  const base = world.store.knowledgeBase('desk')
  const fork = () => openTracedWorld({ records: world, startsAt: Date.UTC(2030, 5, 1), newId: () => 'one' })
  const { world: other } = await fork()
  const { world: third } = await fork()
  const call = await talk(other, ['When are you open?'])
  expect(call.createdAt).toBe('2030-06-01T00:00:00.000Z')
  expect(call.messages?.map(({ text }) => text)).toContain('Nine to five, Ada.')
  expect(other.store.knowledgeBase('desk')).toBe(base)
  expect(other.indices.get(base ?? { entries: new Map() })).toBe(
    world.indices.get(base ?? { entries: new Map() }),
  )
  expect([world.calls.list().length, other.calls.list().length, third.calls.list().length]).toEqual([1, 2, 1])
  expect(defaultStart).toBe(Date.UTC(2026, 0, 1))
})
