import { expect, test } from 'vitest'
import { startModelServer } from '../../helpers/model-server.ts'
import { createAssistant, placeCall, startTestSandbox } from '../../helpers/test-sandbox.ts'

const prompt = (requests: Awaited<ReturnType<typeof startModelServer>>['requests'], index: number) =>
  requests[index]?.body.messages[0]?.content

test('persistHistory shows the model only earlier calls with the same number', async () => {
  const model = await startModelServer({ say: 'Hello.' })
  const sandbox = await startTestSandbox({ llm: { url: model.url, model: 'small' } })
  const assistant = await createAssistant(sandbox, {
    assistantSystemPrompt: 'Be brief.',
    persistHistory: { enabled: true, call: true, retentionPeriod: 30 },
  })
  const call = (userNumber: string, line: string) =>
    placeCall(sandbox, { assistantId: assistant._id, userNumber, metadata: { caller: [line] } })
  await call('+12025550101', 'I am Ada.')
  await call('+12025550109', 'I am Grace.')
  await call('+12025550101', 'Me again.')
  expect(prompt(model.requests, 0)).toBe('Be brief.')
  expect(prompt(model.requests, 1)).toBe('Be brief.')
  expect(prompt(model.requests, 2)).toBe(
    'Be brief.\n\nEarlier calls with this caller:\n\nCall of 2026-01-01:\nyou: hi\ncaller: I am Ada.\nyou: Hello.',
  )
})

test.each([
  ['not enabled', { enabled: false, call: true }],
  ['not for calls', { enabled: true, call: false }],
])('nothing is remembered when it is %s', async (_what, persistHistory) => {
  const model = await startModelServer({ say: 'Hello.' })
  const sandbox = await startTestSandbox({ llm: { url: model.url } })
  const assistant = await createAssistant(sandbox, { persistHistory })
  for (const caller of [['One'], ['Two']])
    await placeCall(sandbox, { assistantId: assistant._id, metadata: { caller } })
  expect(model.requests).toHaveLength(2)
  expect(JSON.stringify(model.requests[1]?.body.messages)).not.toContain('One')
})

test('inline assistants share no history', async () => {
  const model = await startModelServer({ say: 'Hello.' })
  const sandbox = await startTestSandbox({ llm: { url: model.url } })
  const persistHistory = { enabled: true, call: true }
  await placeCall(sandbox, {
    assistant: { name: 'Clinic', persistHistory },
    metadata: { caller: ['It is private.'] },
  })
  await placeCall(sandbox, {
    assistant: { name: 'Pizza', persistHistory },
    metadata: { caller: ['One, please.'] },
  })
  expect(JSON.stringify(model.requests[1]?.body)).not.toContain('private')
})

test.each([
  ['remembered before the period is over', '6d', true],
  ['forgotten after it', '8d', false],
])('by the clock of the world, a call is %s', async (_what, advance, isRemembered) => {
  const model = await startModelServer({ say: 'Hello.' })
  const sandbox = await startTestSandbox({ llm: { url: model.url } })
  const persistHistory = { enabled: true, call: true, retentionPeriod: 7 }
  const assistant = await createAssistant(sandbox, { persistHistory })
  const call = (line: string) =>
    placeCall(sandbox, { assistantId: assistant._id, metadata: { caller: [line] } })
  await call('I am Ada.')
  expect((await sandbox.control('POST', 'clock', { advance })).status).toBe(200)
  await call('Me again.')
  expect(JSON.stringify(model.requests.at(-1)?.body.messages).includes('I am Ada.')).toBe(isRemembered)
})
