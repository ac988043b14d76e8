import type { IncomingMessage } from 'node:http'
import * as z from 'zod/mini'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import { type ForwardTarget, postEvent, type Rejection, targetsOf } from '../../webhook/index.ts'
import type { FoundCalls, Resent, TargetAddress } from '../wire.ts'
import { selection } from './batches.ts'
import type { CallStore } from './call-store.ts'
import type { EventStreams } from './event-streams.ts'
import { answer, answerJson, pageHeaders, refuse } from './page-http.ts'
import { searchCalls } from './search-calls.ts'
import type { Route } from './serve-route.ts'
import type { RawEvent } from './watched-call.ts'

export interface RouteOptions {
  readonly store: CallStore
  readonly streams: EventStreams
  /** Of this run, as pages know it. */
  readonly run: string
  readonly targets: readonly ForwardTarget[]
  /** Milliseconds that a target may take for an event that is sent again. */
  readonly timeout: number
  readonly clock: Clock
  /** Aborts with the watch. */
  readonly signal: AbortSignal
}

/** What a page asks for beside itself, by name. */
export function pageRoutes(options: RouteOptions): Readonly<Record<string, Route>> {
  const { store, streams, run, targets, clock, signal } = options
  const eventOf = (key: number | undefined, number: number | undefined) =>
    store.get(key ?? -1)?.events.find(event => event.number === number)

  return {
    events: {
      run({ method, query, response }) {
        if (streams.full) return refuse(response, tooManyPages)
        response.writeHead(200, { ...pageHeaders, 'content-type': 'text/event-stream; charset=utf-8' })
        if (method === 'HEAD') return void response.end()
        // Keys and versions of another run mean something else in this one.
        const known = query.get('run') === run
        const key = known ? readNumber(query.get('call')) : undefined
        const since = known ? readNumber(query.get('since')) : undefined
        streams.open(response, { version: since, selected: key === undefined ? undefined : selection(key) })
      },
    },
    search: {
      async run({ query, response }) {
        const hangUp = new AbortController()
        response.on('close', () => hangUp.abort())
        const keys = await searchCalls(store, query.get('q') ?? '', {
          clock,
          signal: AbortSignal.any([signal, hangUp.signal]),
        })
        answerJson(response, { keys } satisfies FoundCalls)
      },
    },
    body: {
      run({ query, response }) {
        const event = eventOf(readNumber(query.get('call')), readNumber(query.get('event')))
        if (event === undefined) return refuse(response, forgotten)
        // A browser must not show an event, which anyone may have sent, as a page of this listener.
        const name = `attachment; filename="event-${event.number}.json"`
        answer(response, 'application/octet-stream', event.body, { 'content-disposition': name })
      },
    },
    address: {
      run({ query, response }) {
        const target = targets[(readNumber(query.get('target')) ?? 0) - 1]
        if (target === undefined) return refuse(response, { status: 404, message: 'there is no such target' })
        answerJson(response, { url: target.url } satisfies TargetAddress)
      },
    },
    resend: {
      post: true,
      async run({ request, response }) {
        const ask = await readAsk(request)
        if (ask === undefined)
          return refuse(response, { status: 400, message: 'the body is not { call, event }' })
        const event = eventOf(ask.call, ask.event)
        if (event === undefined) return refuse(response, forgotten)
        answerJson(response, await resend(event, options))
      },
    },
  }
}

const forgotten: Rejection = { status: 404, message: 'this event is no longer kept' }
const tooManyPages: Rejection = { status: 503, message: 'too many pages are open' }

function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Sends an event once more, as it came, to each target that gets its type; to all at once, to each once. */
async function resend(
  { body, contentType, type }: RawEvent,
  { targets, timeout, clock, signal }: RouteOptions,
): Promise<Resent> {
  const results = targetsOf(type, targets).map(async ({ url, headers }) => {
    const shown = withoutQuery(url)
    const started = clock.now()
    const answer = await postEvent({ url, body, contentType, headers, timeout, signal, clock }).catch(
      error => {
        if (!(error instanceof CallwrightError)) throw error
        return { failure: { reason: error.message, milliseconds: clock.now() - started } }
      },
    )
    if ('failure' in answer) {
      const { reason, milliseconds } = answer.failure
      return { url: shown, outcome: { reason, milliseconds } }
    }
    const { status, milliseconds } = answer
    return { url: shown, outcome: { status, milliseconds, body: answer.body.slice(0, maxShownBodyLength) } }
  })
  return { results: await Promise.all(results) }
}

/** Characters. */
const maxShownBodyLength = 4000

const askSchema = z.object({ call: z.int(), event: z.int() })

/** Which event of which call a page asks about; undefined for any other body. */
async function readAsk(request: IncomingMessage): Promise<z.infer<typeof askSchema> | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes: unknown = chunk
    if (!Buffer.isBuffer(bytes)) return undefined
    size += bytes.length
    if (size <= maxBodyBytes) chunks.push(bytes)
  }
  if (size > maxBodyBytes) return undefined
  try {
    const parsed = z.safeParse(askSchema, JSON.parse(Buffer.concat(chunks).toString('utf8')))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** Bytes. */
const maxBodyBytes = 1024
