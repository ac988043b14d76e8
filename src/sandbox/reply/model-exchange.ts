import type { Clock } from '../../lib/clock.ts'
import { ModelFailure } from './chat-model.ts'
import { type EventStream, readEvents } from './event-stream.ts'
import { type Confidential, sentenceOf } from './failure-sentence.ts'

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

/** Where a model is asked, and with what. */
interface ModelAddress {
  readonly url: URL
  /** Authorization, or nothing. */
  readonly headers: Readonly<Record<string, string>>
  /** What must not be said of it. */
  readonly secrets: readonly string[]
}

/**
 * `/chat/completions` below a base URL (interface.md 2.1, assistantLLMUrl), whatever slash it ends with and before its
 * query. The key goes out as a bearer token; without one, a user name and password of the URL go out as they do anywhere.
 * @throws ModelFailure when it is no http or https URL, or the key is none that a header can hold
 */
export function modelAddressOf(baseUrl: string, apiKey = ''): ModelAddress {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ModelFailure('the model’s address is not an http or https URL')
  if (!/^[\x20-\x7e]*$/.test(apiKey))
    throw new ModelFailure('the model’s key has characters that no header can hold')
  const login = [url.username, url.password].map(decode)
  const secrets = [apiKey, ...login, url.search, ...url.searchParams.values()]
  url.username = ''
  url.password = ''
  url.hash = ''
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  return { url, headers: authorization(apiKey, login), secrets: secrets.filter(secret => secret !== '') }
}

function authorization(apiKey: string, login: readonly string[]): Record<string, string> {
  if (apiKey !== '') return { authorization: `Bearer ${apiKey}` }
  if (login.every(part => part === '')) return {}
  return { authorization: `Basic ${Buffer.from(login.join(':')).toString('base64')}` }
}

/** A lone percent sign is one. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
