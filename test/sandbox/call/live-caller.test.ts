import { expect, test } from 'vitest'
import {
  beginCall,
  recordOf,
  saidIn,
  startLiveSandbox,
  type TestSandbox,
} from '../../helpers/test-sandbox.ts'

const control = (sandbox: TestSandbox, id: string, body: unknown) =>
  sandbox.send('POST', `/calls/v1/conversations/${id}/control`, body)

test('with pace 0, a live caller has unlimited time, and silence passes only on request', async () => {
  const sandbox = await startLiveSandbox()
  const id = await beginCall(sandbox, {
    assistant: {
      welcomeMessage: 'Welcome.',
      idleTimeout: 10,
      maxIdleMessagesInSequence: 2,
      maxCallDuration: 5,
    },
  })
  await sandbox.nth('listening', 1)
  expect(await saidIn(sandbox, id)).toEqual(['assistant: Welcome.'])
  expect(await recordOf(sandbox, id)).toMatchObject({ listening: true })
  await control(sandbox, id, { type: 'say', role: 'user', text: 'Hello?' })
  await sandbox.nth('listening', 2)
  await control(sandbox, id, { type: 'silence', seconds: 60 })
  await sandbox.nth('listening', 3)
  await control(sandbox, id, { type: 'say', role: 'assistant', text: 'I am a colleague.' })
  await sandbox.nth('listening', 4)
  await control(sandbox, id, { type: 'hangup' })
  await sandbox.idle()
  expect(await recordOf(sandbox, id)).not.toHaveProperty('listening')
  expect(await saidIn(sandbox, id)).toEqual([
    'assistant: Welcome.',
    'user: Hello?',
    expect.stringContaining('callyard sandbox'),
    'assistant: Are you still there?',
    'assistant: Are you still there?',
    'assistant: I am a colleague.',
  ])
  expect(await recordOf(sandbox, id)).toMatchObject({ status: 'completed', callEndTriggerBy: 'control' })
})

test('silence without end is cut off by maxCallDuration', async () => {
  const sandbox = await startLiveSandbox()
  const id = await beginCall(sandbox, { assistant: { idleTimeout: 600, maxCallDuration: 2 } })
  await sandbox.nth('listening', 1)
  await control(sandbox, id, { type: 'silence', seconds: 7200 })
  await sandbox.idle()
  const { startAt, endAt, callEndTriggerBy } = await recordOf(sandbox, id)
  expect(callEndTriggerBy).toBe('system')
  expect(Date.parse(String(endAt)) - Date.parse(String(startAt))).toBe(120_000)
})

test('keys are sent if dtmfInputEnabled is true, else logged', async () => {
  const sandbox = await startLiveSandbox()
  const id = await beginCall(sandbox, { assistant: { dtmfInputEnabled: true, welcomeMessage: '' } })
  await sandbox.nth('listening', 1)
  expect((await control(sandbox, id, { type: 'keys', keys: '12#' })).status).toBe(200)
  await sandbox.nth('listening', 2)
  expect((await control(sandbox, id, { type: 'keys', keys: 'abc' })).status).toBe(422)
  expect((await saidIn(sandbox, id))[0]).toBe('user: 12#')
  const deaf = await beginCall(sandbox, { assistant: { welcomeMessage: '' } })
  await sandbox.nth('listening', 3)
  await control(sandbox, deaf, { type: 'keys', keys: '1' })
  await sandbox.nth('listening', 4)
  expect(sandbox.events).toContainEqual({
    kind: 'warning',
    callId: deaf,
    message: expect.stringContaining('dtmfInputEnabled'),
  })
})

test('a call that scripts its caller keeps its script', async () => {
  const sandbox = await startLiveSandbox()
  const id = await beginCall(sandbox, { assistant: {}, metadata: { caller: ['Hi there.'] } })
  await sandbox.idle()
  expect((await saidIn(sandbox, id)).slice(0, 2)).toEqual(['assistant: hi', 'user: Hi there.'])
})

test('streams replies to a typing caller with every observation in order', async () => {
  const sandbox = await startLiveSandbox({ caller: 'typed' })
  const id = await beginCall(sandbox, { assistant: { welcomeMessage: 'Welcome.' } })
  await sandbox.nth('listening', 1)
  sandbox.act(id, { type: 'say', text: 'Hello?' })
  await sandbox.nth('listening', 2)
  sandbox.act(id, { type: 'hang-up' })
  await sandbox.idle()
  const kinds = sandbox.seen.map(({ kind }) => kind).filter((kind, index, all) => kind !== all[index - 1])
  expect(kinds).toEqual([
    'status',
    'message',
    'listening',
    'message',
    'draft',
    'message',
    'listening',
    'status',
  ])
  const drafted = sandbox.seen.flatMap(one => (one.kind === 'draft' ? [one.text] : [])).join('')
  const answer = sandbox.seen.flatMap(one =>
    one.kind === 'message' && one.role === 'assistant' ? [one.text] : [],
  )
  expect(drafted).toBe(answer[1])
  expect(sandbox.seen.at(-1)).toMatchObject({
    kind: 'status',
    status: 'finished',
    record: { callEndTriggerBy: 'user' },
  })
})

test('a live caller interrupts what the assistant says next, in the middle; else says it with the floor', async () => {
  const sandbox = await startLiveSandbox()
  const welcomeMessage = 'Hello and welcome to our workshop for bicycles of all kinds.'
  const id = await beginCall(sandbox, { assistant: { welcomeMessage: '' } })
  await sandbox.nth('listening', 1)
  sandbox.act(id, { type: 'interrupt', text: 'Is anybody there?' })
  await sandbox.nth('listening', 2)
  expect((await saidIn(sandbox, id))[0]).toBe('user: Is anybody there?')
  const other = await beginCall(sandbox, {
    assistant: {
      welcomeMessage,
      welcomeMessageMode: 'assistant-waits-for-user',
      welcomeMessageInterruptionsEnabled: true,
    },
  })
  await sandbox.nth('listening', 3)
  sandbox.act(other, { type: 'say', text: 'Hello?' })
  sandbox.act(other, { type: 'interrupt', text: 'Wait a moment' })
  await sandbox.nth('listening', 4)
  expect((await saidIn(sandbox, other)).slice(0, 3)).toEqual([
    'user: Hello?',
    'assistant: Hello and welcome to our workshop',
    'user: Wait a moment',
  ])
})
