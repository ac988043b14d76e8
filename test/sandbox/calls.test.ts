import { expect, test } from 'vitest'
import { startTestSandbox, type TestSandbox } from './start-test-sandbox.ts'
import { type Sink, webhookSink } from './webhook-sink.ts'

const to = '+12025550101'
const from = '+12025550102'

async function createAssistant(sandbox: TestSandbox, fields: Record<string, unknown>) {
  const { status, body } = await sandbox.send('POST', '/assistants/v1/assistants', {
    name: 'Desk',
    ...fields,
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function place(sandbox: TestSandbox, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await sandbox.send('POST', '/calls/v1/conversations', {
    userNumber: to,
    assistantNumber: from,
    ...fields,
  })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toEqual({ sid: expect.stringMatching(/^CC-[0-9a-f-]{36}$/) })
  await sandbox.idle()
  return String(body.sid)
}

const transcript = (sink: Sink, id: string) =>
  sink
    .of(id)
    .findLast(({ type }) => type === 'conversation-update')
    ?.messages?.map(({ role, text }) => `${role}: ${text}`)

test('a call goes queued, ongoing, finished, and every update carries all messages so far', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  await sandbox.send('POST', '/kb/v1/knowledge-bases/desk/faq-template', {
    faq: [
      { question: 'When are you open?', answer: 'Monday to Friday, nine to five.' },
      { question: 'Where can I park?', answer: 'Behind the building.' },
    ],
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
  const id = await place(sandbox, {
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
  expect(statuses[0]).not.toHaveProperty('analysis')
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
