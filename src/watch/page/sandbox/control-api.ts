import { createParser } from 'eventsource-parser'

/** The sandbox's control API, on the origin of this page. */
export interface ControlApi {
  get<Answer>(path: string): Promise<Answer>
  /** @throws ControlError */
  send<Answer>(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer>
  /** Resolves when the stream ends; `onOpen` once it is open. @throws ControlError, TypeError without a connection */
  stream(onOpen: () => void, onEvent: (name: string, data: string) => void): Promise<void>
}

/** What the sandbox said to a request that it refused. */
export class ControlError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** `token` is the sandbox's; `world` the team of the world that is shown, the first one by default. */
export function createControlApi(token: string, world: string | null): ControlApi {
  const ask = async (method: string, path: string, body?: unknown) => {
    const url = new URL(`/__sandbox/${path}`, location.origin)
    if (world !== null) url.searchParams.set('world', world)
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new ControlError(answer.status, await problemOf(answer))
    return answer
  }
  return {
    get: async path => (await ask('GET', path)).json(),
    send: async (method, path, body) => (await ask(method, path, body)).json(),
    async stream(onOpen, onEvent) {
      const { body } = await ask('GET', 'events')
      if (body === null) return
      onOpen()
      const parser = createParser({ onEvent: ({ event = '', data }) => onEvent(event, data) })
      const reader = body.pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) parser.feed(part.value)
    },
  }
}

/** A sentence of a problem (RFC 9457) for a person. */
async function problemOf(answer: Response): Promise<string> {
  const problem: { detail?: unknown; hint?: unknown } = await answer.json().catch(() => ({}))
  const parts = [problem.detail, problem.hint].filter(part => typeof part === 'string')
  return parts.length === 0 ? `The sandbox answered ${answer.status}.` : parts.join('; ')
}

/** Why something did not work, for the reader of the page. */
export function refusalOf(error: unknown): string {
  return error instanceof TypeError
    ? 'The sandbox cannot be reached.'
    : String(error instanceof Error ? error.message : error)
}
