import { createParser } from 'eventsource-parser'
import { byId, pageFailure, setText } from '../dom.ts'

/** Error response of the control API. */
export class ControlError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type ControlApi = ReturnType<typeof createControlApi>

/**
 * The sandbox's control API, on the origin of this page. `token` is the sandbox's; `world` the team of the world that is shown, the first
 * one by default.
 * @throws ControlError, TypeError without a connection
 */
export function createControlApi(token: string, world: string | null) {
  const ask = async (method: string, path: string, body?: unknown) => {
    const url = new URL(path, new URL('/__sandbox/', location.origin))
    if (world !== null) url.searchParams.set('world', world)
    const headers = new Headers({ authorization: `Bearer ${token}` })
    if (body !== undefined) headers.set('content-type', 'application/json')
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) ?? null })
    if (!response.ok) throw new ControlError(response.status, await problemOf(response))
    return response
  }
  return {
    get: async <Answer>(path: string): Promise<Answer> => (await ask('GET', path)).json(),
    send: async <Answer>(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer> =>
      (await ask(method, path, body)).json(),
    /** Resolves when the stream ends; `onOpen` once it is open. */
    async stream(onOpen: () => void, onEvent: (name: string, data: string) => void) {
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
  return parts.length === 0 ? `The sandbox responded ${answer.status}.` : parts.join('; ')
}

/** Shows in a notice what came of an act: its own words if it has any, or why it did not work. */
export async function report(notice: HTMLElement, act: () => Promise<unknown>): Promise<void> {
  setText(notice, '')
  try {
    const result = await act()
    if (typeof result === 'string') setText(notice, result)
  } catch (error) {
    setText(notice, pageFailure(error, 'sandbox'))
  }
}

/** Runs for the form with this id instead of the browser's own sending. */
export function onSubmit(id: string, run: () => unknown): void {
  byId(id).addEventListener('submit', event => {
    event.preventDefault()
    run()
  })
}
