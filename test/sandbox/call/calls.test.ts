import { expect, test } from 'vitest'
import { everyCase } from '../../helpers/every-case.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import {
  beginCall,
  createAssistant,
  from,
  insertFaq,
  openTestWorld,
  placeCall,
  startTestSandbox,
  talkIn,
  to,
  transcript,
} from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

test('a call goes queued, ongoing, finished, and every update carries all messages so far', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  await insertFaq(sandbox, {
    'When are you open?': 'Monday to Friday, nine to five.',
    'Where can I park?': 'Behind the building.',
  })
  const assistant = await createAssistant(sandbox, {
    welcomeMessage: 'Hello {{name}}, this is the desk.',
    assistantPredefinedTools: { knowledgeBase: true, endCall: true },
    assistantKnowledgeBaseIds: ['desk'],
    endCallMessage: 'Goodbye, {{name}}!',
    endCallPhrases: ['good bye'],
    assistantAnalysis: {
      summary: { enabled: true },
      successEvaluation: { enabled: true, rubric: 'NumericScale' },
    },
    assistantServer: { url: sink.url, headers: { 'x-secret': 's3' } },
  })
  const id = await placeCall(sandbox, {
    assistantId: assistant._id,
    assistantOverrides: { dynamicVariables: { name: 'Ada' } },
    metadata: {
      caller: ['What are your opening hours?', 'Is there parking?', 'Thanks, Good-Bye!', 'never said'],
    },
  })
  expect(transcript(sink, id)).toEqual([
    'assistant: Hello Ada, this is the desk.',
    'user: What are your opening hours?',
    'assistant: Monday to Friday, nine to five.',
    'user: Is there parking?',
    'assistant: Behind the building.',
    'user: Thanks, Good-Bye!',
    'assistant: Goodbye, Ada!',
  ])
  const messages = sink.of(id)
  const statuses = messages.filter(({ type }) => type === 'status-update')
  expect(statuses.map(({ call }) => call.status)).toEqual(['queued', 'ongoing', 'finished'])
  expect(messages[0]?.type).toBe('status-update')
  expect(statuses[0]).toMatchObject({
    assistant: { _id: assistant._id, name: 'Desk' },
    customer: { number: to },
    call: {
      id,
      assistantId: assistant._id,
      teamId: assistant.teamId,
      callType: 'web',
      direction: 'outbound',
      userNumber: to,
      assistantNumber: from,
      phoneCallStatus: 'ringing',
      monitor: { controlUrl: expect.stringContaining(id) },
    },
  })
  expect(statuses.slice(0, 2).map(({ analysis }) => analysis)).toEqual([{}, {}])
  expect(statuses[2]).toMatchObject({
    analysis: { successEvaluation: '10', summary: expect.stringContaining('7 messages') },
    call: { callEndTriggerBy: 'assistant', startAt: expect.any(String), endAt: expect.any(String) },
  })
  expect(statuses[2]?.call.analysis).toEqual(statuses[2]?.analysis)
  const updates = messages.filter(({ type }) => type === 'conversation-update')
  expect(updates.map(({ messages }) => messages?.length)).toEqual([1, 2, 3, 4, 5, 6, 7])
  for (const [index, { messages = [] }] of updates.entries()) {
    expect(updates.at(-1)?.messages?.slice(0, index + 1)).toEqual(messages)
  }
  expect(sink.most()).toBe(1)
  expect(sink.received.every(({ headers }) => headers['x-secret'] === 's3')).toBe(true)
  const { body } = await sandbox.send('GET', `/calls/v1/conversations/${id}/control`)
  expect(body).toMatchObject({ id, status: 'completed', callEndTriggerBy: 'assistant' })
  expect(sandbox.events.filter(({ kind }) => kind === 'delivery-failed')).toEqual([])
})

test.each([
  ['assistant-speaks-first', ['assistant: Welcome.', 'user: Hello?', 'assistant: *']],
  ['automatic', ['assistant: Welcome.', 'user: Hello?', 'assistant: *']],
  ['assistant-waits-for-user', ['user: Hello?', 'assistant: Welcome.', 'assistant: *']],
])('welcomeMessageMode %s', async (welcomeMessageMode, expected) => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const assistant = await createAssistant(sandbox, {
    welcomeMessage: 'Welcome.',
    assistantServer: { url: sink.url },
  })
  const id = await placeCall(sandbox, {
    assistantId: assistant._id,
    assistantOverrides: { welcomeMessageMode },
    metadata: { caller: ['Hello?'] },
  })
  expect(transcript(sink, id)?.map(line => line.replace(/This is the callyard sandbox.*/, '*'))).toEqual(
    expected,
  )
  expect(sink.of(id).at(-1)?.call.callEndTriggerBy).toBe('user')
})

test('end phrases are ignored while the end-call tool is off, and knowledge bases while theirs is', async () => {
  const entries = [{ id: 'f', question: 'Bye?', answer: 'Secret.' }]
  const world = await openTestWorld({ entries: [{ kind: 'faq', knowledgeBaseId: 'desk', entries }] })
  const { messages = [] } = await talkIn(world, ['Bye', 'More'], {
    assistantPredefinedTools: { endCall: false, knowledgeBase: false },
    endCallPhrases: ['bye'],
    assistantKnowledgeBaseIds: ['desk'],
  })
  expect(messages.map(({ text }) => text)).toEqual([
    'Bye',
    expect.stringContaining('callyard sandbox'),
    'More',
    expect.stringContaining('callyard sandbox'),
  ])
})

test('leaves a metadata.caller that is not a list of strings to the client', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const id = await placeCall(sandbox, {
    assistant: { assistantServer: { url: sink.url } },
    metadata: { caller: { id: 5 } },
  })
  expect(transcript(sink, id)).toContain('user: Thank you, goodbye.')
})

test('prefers the inline assistant, then the newest; without any the request is rejected with what to do', async () => {
  const sandbox = await startTestSandbox()
  const start = { userNumber: to, assistantNumber: from }
  const unassigned = await sandbox.send('POST', '/calls/v1/conversations', start)
  expect(unassigned).toMatchObject({
    status: 422,
    body: { hint: expect.stringContaining('assistant create') },
  })
  const unknown = await sandbox.send('POST', '/calls/v1/conversations', { ...start, assistantId: 'nope' })
  expect(unknown.status).toBe(404)
  await createAssistant(sandbox, { name: 'Old' })
  const newest = await createAssistant(sandbox, { name: 'New' })
  const sink = await webhookSink()
  const inline = await placeCall(sandbox, {
    assistantId: 'nope',
    assistant: { name: 'Inline', assistantServer: { url: sink.url } },
  })
  expect(sink.of(inline)[0]?.assistant).toMatchObject({ name: 'Inline', assistantMaxTokens: 256 })
  const id = await placeCall(sandbox)
  expect((await sandbox.send('GET', `/calls/v1/conversations/${id}/control`)).body.assistantId).toBe(
    newest._id,
  )
})

test('connect returns the whole queued record', async () => {
  const sandbox = await startTestSandbox({
    vocabulary: { '<vendor>': 'acme', '<phone_vendor_1>': 'acme-phone' },
  })
  const assistant = await createAssistant(sandbox, {})
  const { body } = await sandbox.send('POST', '/calls/v1/conversations/connect', {
    direction: 'inbound',
    phoneNumberId: 'pn_1',
    customer: { number: to, name: 'Ada' },
    metadata: { order: 7 },
  })
  const id = String(body.id)
  expect(body).toEqual({
    id: expect.stringMatching(/^CC-[0-9a-f-]{36}$/),
    teamId: assistant.teamId,
    assistantId: assistant._id,
    phoneNumberId: 'pn_1',
    direction: 'inbound',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    customer: { number: to, name: 'Ada' },
    status: 'queued',
    metadata: { order: 7 },
    phoneVendor: 'acme-phone',
    phoneVendorDetails: {
      from: to,
      to: '+12025550100',
      acmeml: expect.any(String),
      responseType: expect.any(String),
      statusCallback: expect.stringContaining(id),
      statusCallbackEvent: expect.arrayContaining(['completed']),
    },
    monitor: { controlUrl: `${sandbox.baseUrl}/calls/v1/conversations/${id}/control` },
  })
})

const callsAtOnce = everyCase ? 1000 : 300

test(`${callsAtOnce} calls at once all finish, each in order`, async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const assistant = await createAssistant(sandbox, { assistantServer: { url: sink.url } })
  const ids = await Promise.all(
    Array.from({ length: callsAtOnce }, () =>
      beginCall(sandbox, { assistantId: assistant._id, metadata: { caller: ['One', 'Two'] } }),
    ),
  )
  await sandbox.idle()
  expect(new Set(ids).size).toBe(callsAtOnce)
  const told = new Map<string, string[]>()
  for (const { call, messages } of sink.received.map(({ body }) => body.message)) {
    const line = `${call.status} ${messages?.length ?? '-'}`
    told.set(call.id, [...(told.get(call.id) ?? []), line])
  }
  for (const id of ids) {
    expect(told.get(id)).toEqual([
      'queued -',
      'ongoing -',
      'ongoing 1',
      'ongoing 2',
      'ongoing 3',
      'ongoing 4',
      'ongoing 5',
      'finished -',
    ])
  }
  expect(sandbox.events.filter(({ kind }) => kind === 'delivery-failed')).toEqual([])
})

test('the control URL says a line, shows the state, and hangs up', async () => {
  const clock = manualClock()
  const sandbox = await startTestSandbox({ clock, pace: 1 })
  const { body } = await sandbox.send('POST', '/calls/v1/conversations', {
    userNumber: to,
    assistantNumber: from,
    assistant: {},
    metadata: { caller: ['One', 'Two', 'Three'] },
  })
  const control = `/calls/v1/conversations/${body.sid}/control`
  const say = { type: 'say', role: 'user', text: 'Excuse me.' }
  expect((await sandbox.send('POST', control, say)).status).toBe(409)
  await clock.advance(1100)
  expect((await sandbox.send('POST', control, say)).status).toBe(200)
  expect((await sandbox.send('POST', control, { type: 'say', role: 'robot', text: '' })).status).toBe(422)
  expect((await sandbox.send('POST', control, say, { authorization: '' })).status).toBe(401)
  await clock.advance(1200)
  expect((await sandbox.send('GET', control)).body).toMatchObject({
    status: 'ongoing',
    messages: [
      { role: 'assistant', text: 'hi' },
      { role: 'user', text: 'Excuse me.' },
    ],
  })
  expect((await sandbox.send('POST', control, { type: 'hangup' })).status).toBe(200)
  await sandbox.idle()
  expect((await sandbox.send('GET', control)).body).toMatchObject({
    status: 'completed',
    callEndTriggerBy: 'control',
  })
  expect((await sandbox.send('POST', control, { type: 'hangup' })).status).toBe(409)
  expect((await sandbox.send('GET', '/calls/v1/conversations/CC-0/control')).status).toBe(404)
})
