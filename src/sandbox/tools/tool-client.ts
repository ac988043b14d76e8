import pLimit, { type LimitFunction } from 'p-limit'
import type { Agent } from 'undici'

/** Where a function tool is called: the shape of `server` (interface.md 2.5) that the sandbox reads. */
export interface ToolTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
}

/** What a server answered, or why there is no answer: words that go on from "its server", without secrets. */
export type ToolAnswer = { readonly status: number; readonly text: string } | { readonly fault: string }

/** Calls the servers of function tools. One serves all calls of a sandbox. */
export interface ToolClient {
  /**
   * POSTs the body as JSON and reads the whole answer, of at most 1 MB. The target's time is real time, and runs from
   * when its turn comes. Follows no redirect, repeats nothing, never rejects.
   */
  post(target: ToolTarget, body: unknown): Promise<ToolAnswer>
  /** Gives up what is under way. */
  close(): Promise<void>
}

/** One server that hangs holds up to so many connections, and nobody else’s. */
const atOncePerOrigin = 64
const longestAnswer = 1024 * 1024
/** Milliseconds; the longest delay that a timer can hold. */
const longestTimeout = 2_147_483_647

export function createToolClient(): ToolClient {
  const limits = new Map<string, LimitFunction>()
  let agent: Promise<Agent> | undefined
  let closed = false

  const connect = async () => {
    const { Agent } = await import('undici')
    return new Agent({
      connections: atOncePerOrigin,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: longestAnswer,
    })
  }
  const limitOf = (origin: string) => {
    const limit = limits.get(origin) ?? pLimit(atOncePerOrigin)
    limits.set(origin, limit)
    return limit
  }
  const send = async ({ url, headers, timeoutSeconds }: ToolTarget, body: unknown) => {
    const { request } = await import('undici')
    agent ??= connect()
    const dispatcher = await agent
    if (closed) return stopped
    // undici follows no redirect by itself: headers meant for this server go nowhere else.
    const answer = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { ...loginOf(url), ...lowerCase(headers), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(Math.min(Math.ceil(timeoutSeconds * 1000), longestTimeout)),
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  }
  return {
    async post(target, body) {
      try {
        return await limitOf(new URL(target.url).origin)(() => send(target, body))
      } catch (error) {
        return closed ? stopped : { fault: faultOf(error, target) }
      }
    },
    async close() {
      closed = true
      await (await agent)?.destroy()
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

/** So that the same header is not sent twice. */
function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
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

function faultOf(error: unknown, { timeoutSeconds }: ToolTarget): string {
  if (!(error instanceof Error)) return 'could not be called'
  if (error.name === 'TimeoutError') return `gave no answer within ${timeoutSeconds} seconds`
  const code = 'code' in error ? String(error.code) : ''
  return faults[code] ?? `could not be called: ${error.message || code || error.name}`
}
