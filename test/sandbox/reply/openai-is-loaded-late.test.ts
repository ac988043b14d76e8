import { expect, test } from 'vitest'
import { createOpenAiModel } from '../../../src/sandbox/reply/openai-model.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import { realClock } from '../../helpers/real-clock.ts'

/** The client leaves this mark when it is loaded; a file of its own, since it stays for the whole process. */
const isLoaded = () => Symbol.for('openai.node.providerDefinitions.v1') in globalThis

test('the openai client is loaded by the first completion, not before', async () => {
  const server = await startModelServer({ say: 'ok' })
  const model = createOpenAiModel({
    baseUrl: server.url,
    model: 'm',
    apiKey: undefined,
    timeout: 5000,
    clock: realClock,
  })
  expect(isLoaded()).toBe(false)
  const request = { messages: [], tools: [], temperature: 0, maxTokens: 1 }
  for await (const _ of model.complete(request, new AbortController().signal)) {
    expect(isLoaded()).toBe(true)
  }
  expect(server.requests).toHaveLength(1)
})
