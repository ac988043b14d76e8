import { expect, test } from 'vitest'
import type { Clock } from '../../../src/lib/clock.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { beginCall, placeCall, recordOf, startTestSandbox } from '../../helpers/test-sandbox.ts'

test('a provider other than custom-llm goes to the given server, with its model and key; custom-llm to its own without', async () => {
  const given = await startModelServer({ say: 'Given.' })
  const own = await startModelServer({ say: 'Own.' })
  const sandbox = await startTestSandbox({ llm: { url: given.url, model: 'small', apiKey: 'k1' } })
  const said = async (assistant: Record<string, unknown>) => {
    const id = await placeCall(sandbox, { assistant, metadata: { caller: ['Hi'] } })
    return (await recordOf(sandbox, id)).messages.at(-1)?.text
  }
  expect(await said({ assistantTemperature: 0.3, assistantMaxTokens: 9 })).toBe('Given.')
  expect(
    await said({ assistantProvider: 'custom-llm', assistantLLMUrl: own.url, assistantModel: '<model_1>' }),
  ).toBe('Own.')
  expect(given.requests[0]).toMatchObject({
    headers: { authorization: 'Bearer k1' },
    body: { model: 'small', temperature: 0.3, max_tokens: 9 },
  })
  expect(own.requests[0]?.headers).not.toHaveProperty('authorization')
  expect(own.requests[0]?.body.model).toBe('<model_1>')
})

test('gives up on a hanging model, and the call continues and reports it', async () => {
  const model = await startModelServer('hang', { say: 'Here I am.' })
  const modelTimeout = 30_000
  // The timeout of the first request ends once that request is there, so a busy machine changes nothing.
  let waits = 0
  const sleep: Clock['sleep'] = async (milliseconds, signal) => {
    if (milliseconds !== modelTimeout || waits++ > 0) return realClock.sleep(milliseconds, signal)
    await model.received(1)
  }
  const sandbox = await startTestSandbox({
    llm: { url: model.url },
    modelTimeout,
    clock: { now: realClock.now, sleep },
  })
  const id = await placeCall(sandbox, { assistant: {}, metadata: { caller: ['Hello?', 'Anybody?'] } })
  const record = await recordOf(sandbox, id)
  expect(record.messages.map(({ text }) => text)).toEqual([
    'hi',
    'Hello?',
    'I am sorry, something went wrong on my side. Could you say that again?',
    'Anybody?',
    'Here I am.',
  ])
  expect(record.failures).toMatchObject([{ part: 'model', message: 'the model sent nothing for 30 seconds' }])
  expect(sandbox.events).toContainEqual({
    kind: 'warning',
    callId: id,
    message: 'the model sent nothing for 30 seconds',
  })
})

test('a caller who hangs up waits for no model', async () => {
  const model = await startModelServer('hang')
  const sandbox = await startTestSandbox({ llm: { url: model.url } })
  const id = await beginCall(sandbox, { assistant: {}, metadata: { caller: ['Hello?'] } })
  await model.received(1)
  await sandbox.send('POST', `/calls/v1/conversations/${id}/control`, { type: 'hangup' })
  await sandbox.idle()
  await model.requests[0]?.left
  expect(await recordOf(sandbox, id)).toMatchObject({ status: 'completed', callEndTriggerBy: 'control' })
})
