import { expect, test } from 'vitest'
import {
  createAssistant,
  insertFaq,
  placeCall,
  recordOf,
  saidIn,
  startTestSandbox,
} from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'

test('with pace 0, the same requests get the same transcript, ids and times in another sandbox too', async () => {
  const hold = async () => {
    const sandbox = await startTestSandbox()
    const assistant = await createAssistant(sandbox, { welcomeMessage: 'Welcome.' })
    const first = await placeCall(sandbox, {
      assistantId: assistant._id,
      metadata: { caller: ['One', 'Two'] },
    })
    const second = await placeCall(sandbox, { assistantId: assistant._id, metadata: { caller: ['One'] } })
    const records = await Promise.all([first, second].map(id => recordOf(sandbox, id)))
    return { assistant, records: JSON.parse(JSON.stringify(records).replaceAll(sandbox.baseUrl, 'URL')) }
  }
  const [one, other] = [await hold(), await hold()]
  expect(other).toEqual(one)
  expect(one.records[0].createdAt).not.toBe(one.records[1].createdAt)
  expect(one.records[0].id).not.toBe(one.records[1].id)
})

test('another seed produces other ids, and a used id is not repeated', async () => {
  const one = await createAssistant(await startTestSandbox({ seed: 1 }), {})
  const other = await createAssistant(await startTestSandbox({ seed: 2 }), {})
  expect(other._id).not.toBe(one._id)
  const again = await startTestSandbox({
    seed: 1,
    entries: [{ kind: 'assistant', record: { ...one, _id: String(one._id) } }],
  })
  expect((await createAssistant(again, {}))._id).not.toBe(one._id)
})

test('all of assistantOverrides: the call wins over the assistant, field by field', async () => {
  const sandbox = await startTestSandbox()
  const assistant = await createAssistant(sandbox, {
    welcomeMessage: 'base',
    welcomeMessageMode: 'assistant-waits-for-user',
    assistantOverrides: {
      welcomeMessage: '{{greeting}} {{name}} of {{ place }}',
      welcomeMessageInterruptionsEnabled: true,
      dynamicVariables: { greeting: 'Hi', name: 'nobody' },
    },
  })
  const caller = ['/interrupt Wait a moment please']
  const long = 'This is a long welcome message of which not everything will be heard {{name}}.'
  const cut = await placeCall(sandbox, {
    assistantId: assistant._id,
    assistantOverrides: {
      welcomeMessage: long,
      welcomeMessageMode: 'assistant-speaks-first',
      dynamicVariables: { name: 'Ada' },
    },
    metadata: { caller },
  })
  expect((await recordOf(sandbox, cut)).messages[0]).toMatchObject({ role: 'assistant', interrupted: true })
  const whole = await placeCall(sandbox, {
    assistantId: assistant._id,
    assistantOverrides: {
      welcomeMessage: long,
      welcomeMessageMode: 'automatic',
      welcomeMessageInterruptionsEnabled: false,
      dynamicVariables: { name: 'Ada' },
    },
    metadata: { caller },
  })
  expect((await saidIn(sandbox, whole)).slice(0, 2)).toEqual([
    'user: Wait a moment please',
    'assistant: This is a long welcome message of which not everything will be heard Ada.',
  ])
  const own = await placeCall(sandbox, {
    assistantId: assistant._id,
    assistantOverrides: { dynamicVariables: { name: 'Ada {{greeting}}' } },
    metadata: { caller: ['Hello'] },
  })
  expect((await saidIn(sandbox, own)).slice(0, 2)).toEqual([
    'user: Hello',
    'assistant: Hi Ada {{greeting}} of {{ place }}',
  ])
  expect(await recordOf(sandbox, own)).toMatchObject({ unsetVariables: ['place'] })
  expect(sandbox.events).toContainEqual({
    kind: 'warning',
    callId: own,
    message: 'the variable {{place}} is not set',
  })
})

test('callForward puts the caller through: the record is forwarded, its webhook finished', async () => {
  const sandbox = await startTestSandbox()
  const sink = await webhookSink()
  const id = await placeCall(sandbox, {
    assistant: {
      welcomeMessage: '',
      assistantPredefinedTools: { callForward: true },
      callForwardData: { phoneNumber: '+12025550199', name: 'Ada' },
      assistantServer: { url: sink.url },
    },
    metadata: { caller: ['Can I speak to a person?', 'never said'] },
  })
  expect(await saidIn(sandbox, id)).toEqual([
    'user: Can I speak to a person?',
    'assistant: One moment, I am putting you through to Ada.',
  ])
  expect(await recordOf(sandbox, id)).toMatchObject({
    status: 'forwarded',
    forwardedTo: { phoneNumber: '+12025550199', name: 'Ada' },
    callEndTriggerBy: 'assistant',
    toolCalls: [{ name: 'forward_call' }],
  })
  expect(sink.of(id).at(-1)).toMatchObject({ type: 'status-update', call: { status: 'finished' } })
})

test('variables are filled in whom a call is forwarded to, and in the phrases that end it', async () => {
  const sandbox = await startTestSandbox()
  const assistantOverrides = { dynamicVariables: { name: 'Ada' } }
  const forwarded = await placeCall(sandbox, {
    assistant: {
      assistantPredefinedTools: { callForward: true },
      callForwardData: [{ phoneNumber: '+12025550199', name: '{{name}}' }],
    },
    assistantOverrides,
    metadata: { caller: ['A person, please. I want to speak to a person.'] },
  })
  expect((await saidIn(sandbox, forwarded)).at(-1)).toContain('putting you through to Ada')
  const ended = await placeCall(sandbox, {
    assistant: {
      assistantPredefinedTools: { endCall: true },
      endCallPhrases: ['bye {{name}}'],
      endCallMessage: 'So long.',
    },
    assistantOverrides,
    metadata: { caller: ['Bye, Ada!', 'never said'] },
  })
  expect((await saidIn(sandbox, ended)).at(-1)).toBe('assistant: So long.')
})

test('speaks and reports an unknown direction in a script', async () => {
  const sandbox = await startTestSandbox()
  const id = await placeCall(sandbox, { assistant: {}, metadata: { caller: ['/hang-up', '//slash'] } })
  const said = (await saidIn(sandbox, id)).filter(line => line.startsWith('user'))
  expect(said).toEqual(['user: /hang-up', 'user: /slash'])
  expect(sandbox.events).toContainEqual({
    kind: 'warning',
    callId: id,
    message: expect.stringContaining('/hang-up'),
  })
})

test('leaves variables and template language of the service as they are', async () => {
  const sandbox = await startTestSandbox({ serviceVariables: ['now'] })
  const welcomeMessage = 'It is {{now}}{{#if name}} for {{name}}{{/if}}'
  const call = await placeCall(sandbox, { assistant: { welcomeMessage }, metadata: { caller: ['Hello'] } })
  expect(await saidIn(sandbox, call)).toContain(`assistant: ${welcomeMessage}`)
  expect((await recordOf(sandbox, call)).unsetVariables).toEqual(['name'])
})

test('fills variables in FAQ replies and acknowledgement phrases, and reports unset ones once', async () => {
  const sandbox = await startTestSandbox()
  await insertFaq(sandbox, { 'When are you open?': 'We open at {{opening}}, {{name}}. Ask {{who}}.' })
  const answered = await placeCall(sandbox, {
    assistant: { assistantPredefinedTools: { knowledgeBase: true }, assistantKnowledgeBaseIds: ['desk'] },
    assistantOverrides: { dynamicVariables: { name: 'Ada', opening: 'nine' } },
    metadata: { caller: ['When are you open?', 'And when are you open?'] },
  })
  expect(await saidIn(sandbox, answered)).toContain('assistant: We open at nine, Ada. Ask {{who}}.')
  expect((await recordOf(sandbox, answered)).unsetVariables).toEqual(['who'])
  const warnings = sandbox.events.filter(
    event => event.kind === 'warning' && event.message.includes('{{who}}'),
  )
  expect(warnings).toHaveLength(1)
  const interrupted = await placeCall(sandbox, {
    assistant: {
      welcomeMessage: 'This is a long welcome message of which not everything will be heard.',
      welcomeMessageInterruptionsEnabled: true,
      userInterruptionAckPlan: { enabled: true, phrases: ['Yes, {{name}}?'] },
    },
    assistantOverrides: { dynamicVariables: { name: 'Ada' } },
    metadata: { caller: ['/interrupt Wait a moment please'] },
  })
  expect(await saidIn(sandbox, interrupted)).toContain('assistant: Yes, Ada?')
})

test('a custom background sound gets a warning on the vendor that does not support it', async () => {
  const sandbox = await startTestSandbox({
    numbers: [
      { id: 'p1', number: '+12025550102' },
      { id: 'p2', number: '+12025550103', phoneVendor: '<phone_vendor_2>' },
    ],
  })
  const connect = async (phoneNumberId: string, backgroundSound: string) => {
    const { body } = await sandbox.send('POST', '/calls/v1/conversations/connect', {
      direction: 'outbound',
      phoneNumberId,
      customer: { number: '+12025550101' },
      assistant: { backgroundSound },
    })
    await sandbox.idle()
    const warned = sandbox.events.some(
      event =>
        event.kind === 'warning' &&
        event.callId === body.id &&
        /backgroundSound .*<phone_vendor_1>/.test(event.message),
    )
    return [body.phoneVendor, warned]
  }
  const custom = 'https://example.com/rain.mp3'
  expect(await connect('p1', custom)).toEqual(['<phone_vendor_1>', true])
  expect(await connect('p1', 'enable')).toEqual(['<phone_vendor_1>', false])
  expect(await connect('p2', custom)).toEqual(['<phone_vendor_2>', false])
})
