import { LLMock } from '@copilotkit/aimock'
import { onTestFinished } from 'vitest'

/**
 * aimock, an OpenAI-compatible server that this project did not write, on loopback until the test ends. Its `url` is what
 * `--llm-url` takes. A request that nothing is said for gets an error.
 */
export async function startAiMock(configure: (mock: LLMock) => unknown): Promise<{
  readonly url: string
  readonly mock: LLMock
  /** The bodies of the requests so far. */
  requests(): readonly unknown[]
}> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', strict: true })
  configure(mock)
  await mock.start()
  onTestFinished(() => mock.stop())
  return { url: `${mock.url}/v1`, mock, requests: () => mock.getRequests().map(({ body }) => body) }
}
