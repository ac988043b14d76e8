import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../context.ts'
import type { ForwardTarget } from '../forward/targets.ts'
import type { Watcher } from '../tail.ts'
import { selection } from './batches.ts'
import { createCallStore, type StoreBounds } from './call-store.ts'
import { createEventStreams } from './event-streams.ts'
import { refusePageRequest } from './page-guard.ts'
import { pageHeaders } from './page-headers.ts'
import { readAsk } from './read-ask.ts'
import { resend } from './resend.ts'
import { searchCalls } from './search-calls.ts'
import type { FoundCalls } from './wire.ts'

export interface PageAssets {
  readonly html: string
  readonly script: string
  readonly style: string
}

export interface WatchOptions extends StoreBounds {
  readonly assets: PageAssets
  readonly clock: Clock
  /** Where an event is sent again to. */
  readonly targets: readonly ForwardTarget[]
  /** Where the listener takes events; `/` unless told. */
  readonly eventPath?: string | undefined
  /** Name of the header that the listener requires of events. */
  readonly requiredHeader?: string | undefined
  /** That of an earlier watch, whose pages find this one; a random one unless told. */
  readonly path?: string | undefined
}

/** A page of the calls of a tail, on the tail's own listener. Only who knows its path sees it. */
export interface Watch extends Watcher {
  /** Of the page: `/ui-<random>/`. */
  readonly path: string
  /** Tells every open page that the tail has ended; call it before the tail's `close`. */
  close(): void
}

export function createWatch(options: WatchOptions): Watch {
  const { assets, clock, targets, eventPath = '/', requiredHeader } = options
  const path = options.path ?? newPath()
  const store = createCallStore(options)
  const run = randomBytes(8).toString('hex')
  const ending = new AbortController()
  const streams = createEventStreams({
    store,
    clock,
    hello: {
      run,
      eventPath,
      requiredHeader: requiredHeader ?? null,
      targets: targets.map(({ url, type, headers }) => ({
        url,
        type: type ?? null,
        headers: Object.keys(headers),
      })),
    },
  })

  const openStream: Route = ({ method, query, response }) => {
    response.writeHead(200, { ...pageHeaders, 'content-type': 'text/event-stream; charset=utf-8' })
    // Keys and versions of another run mean something else in this one.
    const known = query.get('run') === run
    const key = known ? readNumber(query.get('call')) : undefined
    const since = known ? readNumber(query.get('since')) : undefined
    const cursor = { version: since, selected: key === undefined ? undefined : selection(key) }
    if (method === 'HEAD' || !streams.open(response, cursor)) response.end()
  }
  const search: Route = async ({ query, response }) => {
    const hangUp = new AbortController()
    response.on('close', () => hangUp.abort())
    const signal = AbortSignal.any([ending.signal, hangUp.signal])
    const keys = await searchCalls(store, (query.get('q') ?? '').slice(0, longestQuery), { clock, signal })
    answerJson(response, { keys } satisfies FoundCalls)
  }
  const eventOf = (key: number | undefined, number: number | undefined) =>
    store.get(key ?? -1)?.events.find(event => event.number === number)
  const sendBody: Route = ({ query, response }) => {
    const event = eventOf(readNumber(query.get('call')), readNumber(query.get('event')))
    if (event === undefined) return refuse(response, 404, 'this event is no longer kept')
    // A browser must not show what somebody sent as a page of ours.
    const name = `attachment; filename="event-${event.number}.json"`
    answer(response, 'application/octet-stream', event.body, { 'content-disposition': name })
  }
  const sendAgain: Route = async ({ request, response }) => {
    const ask = await readAsk(request)
    if (ask === undefined) return refuse(response, 400, 'the body is not { call, event }')
    const event = eventOf(ask.call, ask.event)
    if (event === undefined) return refuse(response, 404, 'this event is no longer kept')
    answerJson(response, await resend(event, { targets, clock, signal: ending.signal }))
  }
  const routes: Readonly<Record<string, { readonly post?: true; readonly run: Route }>> = {
    '': { run: ({ response }) => answer(response, 'text/html; charset=utf-8', assets.html) },
    'page.js': { run: ({ response }) => answer(response, 'text/javascript; charset=utf-8', assets.script) },
    'page.css': { run: ({ response }) => answer(response, 'text/css; charset=utf-8', assets.style) },
    events: { run: openStream },
    search: { run: search },
    body: { run: sendBody },
    resend: { post: true, run: sendAgain },
  }

  return {
    path,
    take(event, delivery, changes) {
      store.take(event, delivery, changes, clock.now())
      streams.changed()
    },
    serve(request, response) {
      const { url = '', method = '' } = request
      if (!url.startsWith(prefix) || !isUnder(url, path)) return false
      response.on('error', ignore)
      const refusal = refusePageRequest(request)
      if (refusal !== undefined) {
        refuse(response, refusal.status, refusal.message, refusal.headers)
        return true
      }
      const [name = '', query] = url.slice(path.length).split('?', 2)
      const route = Object.hasOwn(routes, name) ? routes[name] : undefined
      if (route === undefined) refuse(response, 404, 'there is nothing here')
      else if ((route.post === true) !== (method === 'POST'))
        refuse(response, 405, 'this method is not allowed', { allow: route.post ? 'POST' : 'GET, HEAD' })
      else {
        const visit = { request, response, method, query: new URLSearchParams(query) }
        const answering = async () => route.run(visit)
        answering().catch(() => response.destroy())
      }
      return true
    },
    close() {
      ending.abort()
      streams.close()
    },
  }
}

type Route = (visit: Visit) => void | Promise<void>

interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  readonly query: URLSearchParams
}

const prefix = '/ui-'

function newPath(): string {
  return `${prefix}${randomBytes(24).toString('base64url')}/`
}

/** In the same time however much of the path was guessed. */
function isUnder(url: string, path: string): boolean {
  const expected = Buffer.from(path)
  const given = Buffer.from(url).subarray(0, expected.length)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

const longestQuery = 200

function ignore(): void {}

function answerJson(response: ServerResponse, value: unknown): void {
  answer(response, 'application/json', JSON.stringify(value))
}

/** Node leaves the body of an answer to HEAD out. */
function answer(
  response: ServerResponse,
  type: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(200, { ...pageHeaders, ...headers, 'content-type': type, 'content-length': length })
  response.end(body)
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ message })
  response.writeHead(status, {
    ...pageHeaders,
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
