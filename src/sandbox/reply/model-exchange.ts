import type { Clock } from '../../lib/clock.ts'
import { type EventStream, readEvents } from './event-stream.ts'
import { type Confidential, sentenceOf } from './failure-sentence.ts'
import type { ModelAddress } from './model-address.ts'
import { ModelFailure } from './model-failure.ts'

/** One request to a model, as it goes over the network. */
export interface ModelExchange {
  /** For the openai client, in place of its own. */
  fetch(url: unknown, init?: RequestInit): Promise<Response>
  /** Why there is no stream of events. The client would wrap it, and lose it where it speaks of a time-out. */
  failure(): ModelFailure | undefined
  /** Whether the server said that its answer is over. */
  done(): boolean
}

/** Bytes of an error's body that are read. */
const maxErrorBytes = 64 * 1024

/** Follows no redirect; answers that are no success end in a failure. `heard` is called whenever something of an answer comes, a comment too. */
export function createExchange(
  { url, headers }: ModelAddress,
  { clock, confidential, heard }: { clock: Clock; confidential: Confidential; heard: () => void },
): ModelExchange {
  let failure: ModelFailure | undefined
  let events: EventStream | undefined
  return {
    failure: () => failure,
    done: () => events?.done() ?? false,
    async fetch(_url, init) {
      // The client adds headers of its own and those of its environment variables: of all these none is sent.
      const response = await fetch(url, {
        ...init,
        redirect: 'manual',
        headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
      })
      heard()
      if (!response.ok || response.body === null) {
        failure = await statusFailure(response, confidential)
        throw failure
      }
      events = readEvents(response.body, { clock, heard })
      return new Response(events.body, { headers: { 'content-type': 'text/event-stream' } })
    },
  }
}

async function statusFailure({ status, body }: Response, confidential: Confidential): Promise<ModelFailure> {
  if (status >= 300 && status < 400) {
    await body?.cancel()
    return new ModelFailure(`the model answered ${status}, a redirect, which is not followed`)
  }
  if (body === null) return new ModelFailure(`the model answered ${status} without a body`)
  return new ModelFailure(
    `the model answered ${status}${sentenceOf(read(await startOf(body)), confidential)}`,
  )
}

async function startOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > maxErrorBytes) break
  }
  return text
}

/** The JSON of a body, or its text. A page is no sentence. */
function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^\s*[<{[]/.test(text) ? undefined : text
  }
}
