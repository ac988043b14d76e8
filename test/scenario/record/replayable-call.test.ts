import { expect, test } from 'vitest'
import { type ReplayableCall, toReplayableCall } from '../../../src/scenario/record/index.ts'
import { callEvents, type Said, type SampleCall } from '../../helpers/events.ts'
import { readBodies, readCall } from './recordings.ts'

async function linesOf(sample: SampleCall): Promise<string[]> {
  return toReplayableCall(await readCall(sample), undefined).steps.map(shown)
}

function shown(step: ReplayableCall['steps'][number]): string {
  if (step.kind === 'said') return `A ${step.text}`
  return step.kind === 'caller'
    ? `C ${step.line}`
    : `T ${step.tool.name} ${JSON.stringify(step.tool.arguments)}`
}

const welcome: Said = ['assistant', 'Hello, how can I help?', 2]

test('keeps messages in order, and joins consecutive messages of one side', async () => {
  const said: Said[] = [
    welcome,
    ['user', 'Hi.', 3],
    ['user', 'When are\nyou  open?', 4],
    ['assistant', 'From nine.', 6],
  ]
  expect(await linesOf({ said })).toEqual([
    'A Hello, how can I help?',
    'C Hi. When are you open?',
    'A From nine.',
  ])
})

test('accepts role names of other services, and ignores other roles', async () => {
  const said: Said[] = [
    ['agent', 'Hello.'],
    ['Customer', 'Hi'],
    ['system', 'You are kind.'],
    ['BOT', 'Yes?'],
  ]
  expect(await linesOf({ said })).toEqual(['A Hello.', 'C Hi', 'A Yes?'])
})

test('escapes a leading slash, recognizes keys, and drops control characters', async () => {
  const said: Said[] = [
    ['user', '/hangup now'],
    ['assistant', 'What?'],
    ['user', '12#'],
    ['assistant', 'Yes.'],
    ['user', 'a\u0007b\u202e \ud800'],
  ]
  expect(await linesOf({ said })).toEqual([
    'C //hangup now',
    'A What?',
    'C /keys 12#',
    'A Yes.',
    'C a b \ufffd',
  ])
})

test('a caller silence becomes a line only if the assistant spoke again', async () => {
  const said: Said[] = [
    ['assistant', 'Hello?', 1],
    ['assistant', 'Are you still there?', 23],
    ['user', 'Yes, sorry.', 40],
    ['assistant', 'Fine.', 41],
    ['user', 'I had to think.', 90],
  ]
  const lines = await linesOf({ said, assistant: { idleTimeout: 20 } })
  expect(lines).toEqual([
    'A Hello?',
    'C /say-nothing 39',
    'A Are you still there?',
    'C Yes, sorry.',
    'A Fine.',
    'C I had to think.',
  ])
})

test.each([
  [23, 'assistant', ['C /say-nothing 29', 'A Are you still there?']],
  [23, undefined, ['C /say-nothing 22', 'A Are you still there?']],
  [2, 'system', ['A Are you still there?', 'C /say-nothing 28']],
  [2, 'user', ['A Are you still there?']],
])('a caller is silent to the end: asked after %i seconds, ended by %s', async (seconds, by, rest) => {
  const said: Said[] = [
    ['assistant', 'Hello?', 1],
    ['assistant', 'Are you still there?', seconds],
  ]
  const end = { callEndTriggerBy: by, endAt: '2026-01-01T09:00:30Z' }
  expect(await linesOf({ said, ...(by === undefined ? {} : { end }) })).toEqual(['A Hello?', ...rest])
})

test('consecutive assistant messages without a pause are not a silence', async () => {
  const said: Said[] = [
    ['user', 'Book it', 1],
    ['assistant', 'One moment.', 2],
    ['assistant', 'It is booked.', 4],
  ]
  expect(await linesOf({ said })).toEqual(['C Book it', 'A One moment.', 'A It is booked.'])
})

test('a message that breaks off before the caller’s overlapping line is an interruption', async () => {
  const said: Said[] = [
    ['assistant', 'Well, let me see what we', 5],
    ['user', 'Wait, one more thing please', 6],
    ['assistant', 'We open at nine', 9],
    ['user', 'Thanks', 15],
  ]
  expect(await linesOf({ said })).toEqual([
    'A Well, let me see what we',
    'C /interrupt Wait, one more thing please',
    'A We open at nine',
    'C Thanks',
  ])
})

test('a message marked as interrupted is an interruption even without times', async () => {
  const messages = [
    { messageId: 'a', role: 'assistant', text: 'Hello, this is.', interrupted: true },
    { messageId: 'b', role: 'user', text: 'Stop.' },
  ]
  const { calls } = await readBodies([
    { message: { type: 'conversation-update', call: { id: 'CC-1' }, messages } },
  ])
  expect(calls.flatMap(call => toReplayableCall(call, undefined).steps.map(shown))).toEqual([
    'A Hello, this is.',
    'C /interrupt Stop.',
  ])
})

test.each([
  ['the request to its server', { id: 't1', name: 'book', arguments: { day: 'Friday' } }],
  ['arguments as text', { id: 't1', name: 'book', arguments: '{"day":"Friday"}' }],
  ['a function of a model', { id: 't1', function: { name: 'book', arguments: '{"day":"Friday"}' } }],
  ['other words', { toolName: 'book', parameters: { day: 'Friday' } }],
])('recognizes a tool by %s', async (_, tool) => {
  const said: Said[] = [welcome, ['user', 'On Friday'], { tool }, ['assistant', 'Done.']]
  expect(await linesOf({ said })).toEqual([
    'A Hello, how can I help?',
    'C On Friday',
    'T book {"day":"Friday"}',
    'A Done.',
  ])
})

test('a tool request that precedes the line that triggered it belongs to that line', async () => {
  const said: Said[] = [welcome, { tool: { name: 'book' } }, ['user', 'Book it'], ['assistant', 'Done.']]
  expect(await linesOf({ said })).toEqual([
    'A Hello, how can I help?',
    'C Book it',
    'T book undefined',
    'A Done.',
  ])
})

test('finds a tool’s result by call id, in its own event or in a message', async () => {
  const events = callEvents({
    said: [['user', 'Book'], { tool: { id: 't1', name: 'book' } }, { tool: { id: 't2', name: 'look' } }],
  })
  const result = {
    message: { type: 'tool-result', call: { id: 'CC-1' }, toolCall: { id: 't1', content: '{"ok":true}' } },
  }
  const messages = [
    { messageId: 'CC-1-0', role: 'user', text: 'Book' },
    { role: 'tool', toolCallId: 't2', error: 'no such day' },
  ]
  const { calls } = await readBodies([
    ...events,
    result,
    { message: { type: 'conversation-update', call: { id: 'CC-1' }, messages } },
  ])
  expect(calls[0]?.tools).toEqual([
    {
      ...{ name: 'book', arguments: undefined, result: { returns: { ok: true } }, after: 1 },
      ...{ from: '2026-03-01T10:00:02.000Z', until: '2026-03-01T10:00:04.000Z' },
      respondedAt: '2026-03-01T10:00:04.000Z',
    },
    {
      ...{ name: 'look', arguments: undefined, result: { fails: 'no such day' }, after: 1 },
      ...{ from: '2026-03-01T10:00:03.000Z', until: '2026-03-01T10:00:05.000Z' },
      respondedAt: '2026-03-01T10:00:05.000Z',
    },
  ])
})

test('tools listed only at the end of the call are unplaced', async () => {
  const call = await readCall({
    said: [welcome],
    end: { toolCalls: [{ id: 'x', name: 'book', arguments: {}, content: '{}' }] },
  })
  const { steps, unplacedTools } = toReplayableCall(call, undefined)
  expect(steps).toHaveLength(1)
  expect(unplacedTools).toMatchObject([{ name: 'book', result: { returns: {} } }])
})

test.each([
  ['user', 'user'],
  ['customer-ended-call', 'user'],
  ['assistant', 'assistant'],
  ['ai_agent', 'assistant'],
  ['call-forwarded', 'forward'],
  ['max-duration', 'system'],
  ['control', undefined],
])('maps a call ended by %s to %s', async (callEndTriggerBy, endedBy) => {
  const call = await readCall({ said: [welcome], end: { callEndTriggerBy } })
  expect(toReplayableCall(call, undefined).endedBy).toBe(endedBy)
})

test('a call that was forwarded is ended by it, whoever asked for it', async () => {
  const end = { callEndTriggerBy: 'assistant', phoneCallStatus: 'forwarded' }
  expect(toReplayableCall(await readCall({ said: [welcome], end }), undefined).endedBy).toBe('forward')
})

test('a call in progress has no end', async () => {
  expect(
    toReplayableCall(await readCall({ said: [welcome], call: { callEndTriggerBy: 'user' } }), undefined)
      .endedBy,
  ).toBeUndefined()
})

test('prefers variables of the call, then inferred ones, then those of the assistant', async () => {
  const assistant = {
    welcomeMessage: 'Hello {{name}}, this is {{town}}.',
    assistantOverrides: { dynamicVariables: { name: 'there', town: 'nowhere', kind: 'kind one' } },
  }
  const said: Said[] = [['assistant', 'Hello Ada, this is Bath.']]
  const call = await readCall({
    said,
    assistant,
    call: { assistantOverrides: { dynamicVariables: { town: 7 } } },
  })
  expect(toReplayableCall(call, undefined).variables).toEqual({ name: 'Ada', town: '7', kind: 'kind one' })
})

test('separates calls with interleaved events, with and without ids', async () => {
  const one = callEvents({
    id: 'CC-1',
    said: [['user', 'One'], { tool: { name: 'first' } }, ['assistant', 'Yes one.']],
  })
  const two = callEvents({
    id: 'CC-2',
    said: [['user', 'Two'], { tool: { name: 'second' } }, ['assistant', 'Yes two.']],
  })
  const { calls } = await readBodies(one.flatMap((event, index) => [event, two[index]]))
  expect(calls.map(call => toReplayableCall(call, undefined).steps.map(shown))).toEqual([
    ['C One', 'T first undefined', 'A Yes one.'],
    ['C Two', 'T second undefined', 'A Yes two.'],
  ])
})

test('a shorter update removes nothing and repeats no tool use', async () => {
  const events = callEvents({
    said: [
      ['user', 'One'],
      ['assistant', 'Two.'],
      ['user', 'Three'],
    ],
  })
  const message = {
    type: 'conversation-update',
    call: { id: 'CC-1' },
    messages: [{ messageId: 'CC-1-0', role: 'user', text: 'One', toolCalls: [{ name: 'look' }] }],
  }
  const { calls } = await readBodies([...events, { message }, { message }])
  const [call] = calls
  expect(call?.transcript.messages).toHaveLength(3)
  expect(call?.tools).toHaveLength(1)
})
