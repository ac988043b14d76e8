import type { Clock } from '../../lib/clock.ts'
import { codeOf } from '../../lib/error.ts'
import { createOutbound, type OutboundTarget, Overdue } from '../net/outbound.ts'

/** What a server answered, or why there is no answer: words that go on from "its server", without secrets. */
export type ToolAnswer =
  | { readonly status: number; readonly text: string }
  | {
      readonly fault: string
      /** Nothing was sent: no server is there. */
      readonly unreached?: true
    }

/** Calls the servers of function tools. One serves all calls of a sandbox. */
export interface ToolClient {
  /**
   * POSTs the body as JSON and reads the whole answer, of at most 1 MB. The target's time is real time, and runs from
   * when its turn comes. Follows no redirect, repeats nothing, never rejects.
   */
  post(target: OutboundTarget, body: unknown): Promise<ToolAnswer>
  /** Gives up what is under way. */
  close(): Promise<void>
}

const maxAnswerBytes = 1024 * 1024

export function createToolClient({ clock }: { readonly clock: Clock }): ToolClient {
  const outbound = createOutbound({ clock, maxAnswerBytes })
  let closed = false

  const send = async (target: OutboundTarget, body: unknown) => {
    const { request } = await import('undici')
    return outbound.request(target, async ({ dispatcher, headers, signal }) => {
      const answer = await request(target.url, {
        dispatcher,
        method: 'POST',
        headers: { ...loginOf(target.url), ...headers },
        body: JSON.stringify(body),
        signal,
      })
      return { status: answer.statusCode, text: await answer.body.text() }
    })
  }
  return {
    async post(target, body) {
      try {
        return await send(target, body)
      } catch (error) {
        return closed ? stopped : failureOf(error, target)
      }
    },
    async close() {
      closed = true
      outbound.giveUp(new Error('the sandbox stopped'))
      await outbound.close()
    },
  }
}

const stopped: ToolAnswer = { fault: 'had not answered when the sandbox stopped' }

/** `user:password@` of a URL, which undici leaves out. */
function loginOf(url: string): Record<string, string> {
  const { username, password } = new URL(url)
  if (username === '' && password === '') return {}
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
}

const faults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'has a name that is not known',
  EAI_AGAIN: 'has a name that could not be looked up',
  ECONNRESET: 'broke off the connection',
  UND_ERR_SOCKET: 'broke off the connection',
  UND_ERR_CONNECT_TIMEOUT: 'could not be reached',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'answered more than 1 MB',
}

const unreachedCodes: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]

function failureOf(error: unknown, target: OutboundTarget): ToolAnswer {
  const fault = faultOf(error, target)
  const unreached = unreachedCodes.includes(codeOf(error) ?? '')
  return unreached ? { fault, unreached } : { fault }
}

function faultOf(error: unknown, { timeoutSeconds }: OutboundTarget): string {
  if (!(error instanceof Error)) return 'could not be called'
  if (error instanceof Overdue) return `gave no answer within ${timeoutSeconds} seconds`
  const code = 'code' in error ? String(error.code) : ''
  return faults[code] ?? `could not be called: ${error.message || code || error.name}`
}
