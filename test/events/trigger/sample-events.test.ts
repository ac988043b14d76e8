import { expect, test } from 'vitest'
import { type SampleMessage, webhookEventSchema } from '../../helpers/events.ts'
import { createAssistant, startTestSandbox, to } from '../../helpers/test-sandbox.ts'
import { triggeredCall } from '../../helpers/triggered-events.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

test('samples have exactly the fields that the sandbox sends, in every event of a call', async () => {
  const sent = await sandboxCall()
  const messages = sent.filter(({ type }) => type === 'conversation-update').length
  expect(messages).toBeGreaterThan(2)
  const samples = triggeredCall(messages).map(({ message }) => message)
  expect(samples.map(fieldsOf)).toEqual(sent.map(fieldsOf))
})

test('samples have the words that the sandbox sends', async () => {
  const sent = await sandboxCall()
  const samples = triggeredCall(1).map(({ message }) => message)
  const words = (message: Readonly<Record<string, unknown>>) => {
    const { callType, direction, status, phoneCallStatus } = message.call as Record<string, unknown>
    return { type: message.type, callType, direction, status, phoneCallStatus }
  }
  const distinct = (messages: readonly Readonly<Record<string, unknown>>[]) =>
    new Set(messages.map(message => JSON.stringify(words(message))))
  expect(distinct(samples)).toEqual(distinct(sent))
})

test.each([0, 1, 7, 1000])(
  'a conversation of %d messages passes the schema and grows one by one',
  messages => {
    const events = triggeredCall(messages)
    for (const event of [...events.slice(0, 9), ...events.slice(-2)]) {
      expect(webhookEventSchema.safeParse(JSON.parse(JSON.stringify(event))).success).toBe(true)
    }
    const sizes = events.flatMap(({ message }) =>
      Array.isArray(message.messages) ? [message.messages.length] : [],
    )
    expect(sizes).toEqual(Array.from({ length: messages }, (_, index) => index + 1))
    expect(new Set(saidIn(messages).map(({ messageId }) => messageId)).size).toBe(messages)
  },
)

test.each([6, 8, 40])('a call of %d messages greets once and ends with the goodbye', messages => {
  const lines = saidIn(messages).map(({ text }) => text)
  expect(lines.filter(line => line.startsWith('Hello'))).toEqual([lines[0]])
  expect(lines.filter(line => line.includes('Goodbye'))).toEqual([lines.at(-1)])
})

test('times rise from startAt to endAt, which is now', () => {
  const { startAt, endAt } = { ...triggeredCall(6).at(-1)?.message.call } as Record<string, unknown>
  const times = [startAt, ...saidIn(6).map(({ timestamp }) => timestamp), endAt]
  expect(times).toEqual([...new Set(times)].sort())
  expect(endAt).toBe('2026-03-01T10:00:00.000Z')
})

test('the analysis is empty until the call has finished', () => {
  const [, ongoing, update, finished] = triggeredCall(1).map(({ message }) => message)
  expect(finished).toHaveProperty('analysis.summary')
  expect(ongoing).toHaveProperty('analysis', {})
  expect(update).not.toHaveProperty('analysis')
})

function saidIn(messages: number): readonly SampleMessage[] {
  return (triggeredCall(messages).at(-2)?.message.messages ?? []) as SampleMessage[]
}

/** Webhooks of the sandbox during a call with every analysis enabled. */
async function sandboxCall(): Promise<Readonly<Record<string, unknown>>[]> {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const assistant = await createAssistant(sandbox, {
    assistantServer: { url: sink.url },
    assistantAnalysis: {
      summary: { enabled: true },
      successEvaluation: { enabled: true },
      structuredData: { enabled: true, schema: { type: 'object', properties: {} } },
    },
  })
  const { status, body } = await sandbox.send('POST', '/calls/v1/conversations/connect', {
    direction: 'outbound',
    phoneNumberId: 'pn_1',
    customer: { number: to, name: 'Ada' },
    assistantId: assistant._id,
    metadata: { caller: ['Hello', 'Goodbye'] },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  await sandbox.idle()
  return sink.of(String(body.id)).map(message => ({ ...message }))
}

/** The names of all fields as paths; what deployments choose themselves is not looked into. */
function fieldsOf(message: Readonly<Record<string, unknown>>): string[] {
  const free = /(^|\.)(structuredData|assistantAnalysis|assistantServer)$/
  const walk = (value: unknown, path: string): string[] => {
    if (typeof value !== 'object' || value === null || free.test(path)) return [path]
    if (Array.isArray(value)) return [path, ...value.flatMap(item => walk(item, `${path}[]`))]
    return [path, ...Object.entries(value).flatMap(([name, inner]) => walk(inner, `${path}.${name}`))]
  }
  return [...new Set(walk(message, ''))].sort()
}
