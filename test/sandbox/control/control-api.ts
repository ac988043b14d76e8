import type { SandboxOptions } from '../../../src/sandbox/http/start-sandbox.ts'
import { type Answer, startTestSandbox, type TestSandbox } from '../start-test-sandbox.ts'

export interface ControlledSandbox extends Omit<TestSandbox, 'control'> {
  /** A request to `/__sandbox/` with the token. */
  control(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export async function startControlled(options: Partial<SandboxOptions> = {}): Promise<ControlledSandbox> {
  const sandbox = await startTestSandbox(options)
  return {
    ...sandbox,
    control: (method, path, body, headers = {}) =>
      sandbox.send(method, `/__sandbox/${path}`, body, {
        authorization: `Bearer ${sandbox.controlToken}`,
        ...headers,
      }),
  }
}

export const tools = '/assistants/v1/tools'
export const tool = { type: 'function', function: { name: 'book' } }
export const startCall = '/calls/v1/conversations'

/** Body of Create call; its webhooks go to `url`. */
export function callTo(url?: string, caller: readonly string[] = ['Hello', 'Goodbye']) {
  return {
    userNumber: '+12025550123',
    assistantNumber: '+12025550100',
    assistant: { name: 'Desk', ...(url === undefined ? {} : { assistantServer: { url } }) },
    metadata: { caller },
  }
}
