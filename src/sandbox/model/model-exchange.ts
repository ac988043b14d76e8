import { pipeline, type Readable } from 'node:stream'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { createStreamDecoder, decodeResponse } from '../../files/text/index.ts'
import { type Clock, startTimer } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { getErrorReason } from '../../lib/error.ts'
import { parseJson } from '../../lib/json.ts'
import { decodePart } from '../../lib/net/http.ts'
import {
  type HttpClient,
  openHttpClient,
  type StreamedResponse,
  streamResponse,
} from '../../lib/net/http-client.ts'
import { chooseProxy } from '../../lib/net/proxy.ts'
import { type Confidential, describeModelError, ModelFailure, modelErrorReason } from './chat-model.ts'

/** Bytes of an error's body that are read. */
const maxErrorBytes = 64 * 1024
/** Limit of a response in bytes and of one of its events in characters: far more than any spoken text. */
const maxResponseBytes = 16 * 1024 * 1024
const maxEventLength = 1024 * 1024
/** Milliseconds that a server may take to end the response after its last event. */
const endTimeoutMs = 1000

/**
 * `/chat/completions` below a base URL (interface.md 2.1, assistantLLMUrl), with or without a trailing slash, before its query. The key
 * is sent as a bearer token; without one, user name and password of the URL are sent as basic authentication. `secrets` must not appear
 * in messages.
 * @throws ModelFailure if it is not an http or https URL, or the key is not valid in a header
 */
export function parseModelAddress(baseUrl: string, apiKey = '') {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ModelFailure('the model’s address is not an http or https URL')
  if (!/^[\x20-\x7e]*$/.test(apiKey))
    throw new ModelFailure('the model’s key has characters that no header can hold')
  const login = [url.username, url.password].map(decodePart)
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

let client: Promise<HttpClient> | undefined

/**
 * Sends a request to a model once, through the environment's proxy if there is one. Follows no redirect.
 * @throws ModelFailure for a response other than 2xx
 */
export async function postToModel(
  { url, headers }: { readonly url: URL; readonly headers: Readonly<Record<string, string>> },
  body: unknown,
  {
    env,
    signal,
    confidential,
  }: { readonly env: Environment; readonly signal: AbortSignal; readonly confidential: Confidential },
): Promise<ModelResponse> {
  const request = {
    method: 'POST',
    url,
    proxy: proxyFor(url, env),
    headers: {
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'callyard',
      ...headers,
    },
    body: JSON.stringify(body),
  }
  client ??= openHttpClient()
  const streamedResponse = await streamResponse(await client, request, signal).catch(error => {
    throw new ModelFailure(`the model cannot be reached: ${modelErrorReason(error)}`)
  })
  const response = {
    ...streamedResponse,
    body: await decompressStream(streamedResponse),
    contentType: streamedResponse.headers['content-type'],
  }
  const { status } = response
  if (status >= 200 && status <= 299 && !isWithoutBody(status)) return response
  throw await statusFailure(response, confidential)
}

function proxyFor(url: URL, env: Environment): URL | undefined {
  try {
    const proxy = chooseProxy(url, env)
    return proxy && new URL(proxy.url)
  } catch (error) {
    throw new ModelFailure(getErrorReason(error))
  }
}

/** Some servers compress although `identity` was asked for. */
async function decompressStream({ headers, body }: StreamedResponse): Promise<Readable> {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return body
  const { createBrotliDecompress, createUnzip } = await import('node:zlib')
  return pipeline(body, encoding === 'br' ? createBrotliDecompress() : createUnzip(), () => {})
}

function isWithoutBody(status: number): boolean {
  return status === 204 || status === 205
}

async function statusFailure(
  { status, headers, body, contentType }: StreamedResponse & ModelResponse,
  confidential: Confidential,
): Promise<ModelFailure> {
  if (status >= 300 && status < 400) {
    body.destroy()
    return new ModelFailure(`the model responded ${status}, a redirect, which is not followed`)
  }
  const retryAfter = status === 429 || status === 503 ? headers['retry-after'] : undefined
  const isRefusal = status === 400 || status === 422
  const sentence = describeModelError(
    readError(decodeResponse(await startOf(body), contentType).text),
    confidential,
  )
  const details = isWithoutBody(status) ? ' without a body' : sentence
  return new ModelFailure(`the model responded ${status}${details}`, retryAfter, isRefusal)
}

async function startOf(body: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const bytes of body) {
    parts.push(bytes)
    size += bytes.length
    if (size > maxErrorBytes) break
  }
  return Buffer.concat(parts)
}

/** Returns the JSON of a body, or its text unless it is an HTML page. */
function readError(text: string): unknown {
  const value = parseJson(text)
  return value === undefined && !/^\s*[<{[]/.test(text) ? text : value
}

interface ModelResponse {
  readonly body: Readable
  readonly contentType: string | undefined
}

/**
 * Yields the server-sent events of a response, within limits and up to `[DONE]`; for a server that does not stream, its JSON as one
 * event. `onBytes` is called whenever bytes arrive, including comments.
 * @throws ModelFailure for an endless response, and for one in an unknown encoding
 */
export async function* readEvents(
  { body: stream, contentType }: ModelResponse,
  { clock, onBytes }: { readonly clock: Clock; readonly onBytes: () => void },
): AsyncGenerator<EventSourceMessage> {
  const decode = decodeParts(contentType)
  const events: EventSourceMessage[] = []
  const parser = createParser({
    onEvent: event => events.push(event),
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw new ModelFailure('the model sent a line without end')
    },
    maxBufferSize: maxEventLength,
  })
  let size = 0
  let isComplete = false
  /** Skips leading white space, then collects the whole body if it is JSON. */
  let json: string | undefined = ''
  try {
    for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
      onBytes()
      size += bytes.length
      if (size > maxResponseBytes) throw new ModelFailure('the model does not stop sending')
      const text = decode(bytes)
      if (json !== undefined) {
        json += text
        // No line of an event stream starts with a brace.
        if (/^\s*(\{|$)/.test(json)) continue
      }
      parser.feed(json ?? text)
      json = undefined
      for (const event of events.splice(0)) {
        isComplete = isDone(event)
        yield event
        if (isComplete) return
      }
    }
    if (json?.trim()) yield { id: undefined, event: undefined, data: json }
  } finally {
    if (isComplete && !stream.destroyed) readToEnd(stream, clock)
    else stream.destroy()
  }
}

function decodeParts(contentType: string | undefined): (part: Buffer) => string {
  const decode = createStreamDecoder(contentType)
  return part => {
    try {
      return decode(part)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new ModelFailure(`the model’s response cannot be decoded: ${error.message}`)
    }
  }
}

/** True if the event ends the response. */
export function isDone({ data }: EventSourceMessage): boolean {
  return data.trim() === '[DONE]'
}

/** A connection that was read to its end serves the next request too. */
function readToEnd(answer: Readable, clock: Clock): void {
  const cancelTimer = startTimer(endTimeoutMs, () => answer.destroy(), clock)
  answer.once('close', cancelTimer).resume()
}
