import { onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import type { SandboxEvent } from '../../src/sandbox/event-schemas.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/http/start-sandbox.ts'

export const clock: Clock = systemClock

const bodySchema = z.record(z.string(), z.unknown())

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

export interface TestSandbox extends Sandbox {
  readonly events: readonly SandboxEvent[]
  /** Environment of a command that uses this sandbox. */
  readonly env: { readonly CALLYARD_BASE_URL: string; readonly CALLYARD_API_KEY: string }
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** A sandbox in memory on a free port, without waiting; closed when the test ends. */
export async function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const events: SandboxEvent[] = []
  const sandbox = await startSandbox({
    port: 0,
    pace: 0,
    clock,
    log: event => events.push(event),
    ...options,
  })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= sandbox.close()
    return closed
  }
  onTestFinished(close)
  return {
    ...sandbox,
    events,
    env: { CALLYARD_BASE_URL: sandbox.baseUrl, CALLYARD_API_KEY: sandbox.apiKey },
    close,
    async send(method, path, body, headers = {}) {
      const response = await fetch(sandbox.baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${sandbox.apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      return {
        status: response.status,
        headers: response.headers,
        body: bodySchema.parse(await response.json()),
      }
    },
  }
}
