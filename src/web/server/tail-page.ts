import { randomBytes } from 'node:crypto'
import type { Rejection } from '../../events/conversation/index.ts'
import { envelopeOf, type ForwardTarget, postEvent, selectTargets } from '../../events/forward/index.ts'
import type { Watcher } from '../../events/receive/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import type { PageHints, ResendResult, ShownFigures } from '../wire.ts'
import { type CurrentRules, type Cursor, nextBatch, selection } from './batches.ts'
import { createCallFigures, type PageFigures } from './call-figures.ts'
import { createCallStore, type StoreBounds } from './call-store.ts'
import { createEventStreams } from './event-streams.ts'
import type { RawEvent } from './page-call.ts'
import { type PageAssets, type Routes, readNumber, refuse, respond, respondWithJson } from './page-http.ts'
import { createPrivatePage, type PrivatePage } from './private-page.ts'
import { searchCalls } from './search-calls.ts'

export interface TailPageOptions extends StoreBounds {
  readonly assets: PageAssets
  readonly clock: Clock
  /** Targets of resent events. */
  readonly targets: readonly ForwardTarget[]
  /** False to send only bodies again. */
  readonly passHeaders?: boolean | undefined
  /** Milliseconds that a target may take for it; default: 30 s. */
  readonly timeout?: number | undefined
  /** Path of the event listener. Default: `/`. */
  readonly eventPath?: string | undefined
  /** Name of the stream that events come from, instead of a listener. */
  readonly stream?: string | undefined
  /** Name of the header that the listener requires of events. */
  readonly requiredHeader?: string | undefined
  readonly hints: PageHints
  readonly figures: PageFigures
  /** Returns the rules of a guard; undefined without one. `changed` tells about changes. */
  readonly rules?: (() => CurrentRules) | undefined
  /** Path of an earlier tail whose pages should find this one. Default: random. */
  readonly path?: string | undefined
}

/** A page of the calls of a tail, on the tail's own listener. Only who knows its path sees it. */
export interface TailPage extends Watcher, PrivatePage {
  /** Sends changes of the rules to every page. */
  changed(): void
  /** Tells every open page that the tail has ended; call it before the tail's `close`. */
  close(): void
}

export function createTailPage(options: TailPageOptions): TailPage {
  const { assets, clock, hints, targets, timeout = 30_000, eventPath = '/' } = options
  const { requiredHeader = null, stream = null } = options
  const store = createCallStore(options)
  const run = randomBytes(8).toString('hex')
  const ending = new AbortController()
  const shownTargets = targets.map(({ url, type, headers }, index) => ({
    number: index + 1,
    url: withoutQuery(url),
    type: type ?? null,
    headers: Object.keys(headers),
  }))
  const hello = { run, eventPath, stream, requiredHeader, hints, targets: shownTargets }
  const streams = createEventStreams<Cursor>({
    opening: hello,
    next(cursor) {
      const news = nextBatch(store, cursor, { rules: options.rules?.(), words: options.figures.facts?.words })
      return news && { changes: news.batch, cursor: news.cursor }
    },
    clock,
  })
  const drawFigures = createCallFigures(store, options.figures, clock)
  const eventOf = (query: URLSearchParams) => {
    const [call, eventNumber] = [query.get('call'), query.get('event')].map(readNumber)
    return store.get(call ?? -1)?.events.find(({ number }) => number === eventNumber)
  }

  const get: Routes = {
    events(visit) {
      const { query } = visit
      // Keys and versions of another run mean something else in this one.
      const isKnownRun = query.get('run') === run
      const key = isKnownRun ? readNumber(query.get('call')) : undefined
      const since = isKnownRun ? readNumber(query.get('since')) : undefined
      streams.accept(visit, { version: since, selected: key === undefined ? undefined : selection(key) })
    },
    async search({ query, response }) {
      const hangUp = new AbortController()
      response.on('close', () => hangUp.abort())
      const signal = AbortSignal.any([ending.signal, hangUp.signal])
      const keys = await searchCalls(store, query.get('q') ?? '', { clock, signal })
      respondWithJson(response, { keys })
    },
    async figures({ response }) {
      const figures: ShownFigures = { drawing: await drawFigures() }
      respondWithJson(response, figures)
    },
    body({ query, response }) {
      const event = eventOf(query)
      if (event === undefined) return refuse(response, forgotten)
      // A browser must not show an event, which anyone may have sent, as a page of this listener.
      const name = `attachment; filename="event-${event.number}.json"`
      respond(response, 'application/octet-stream', event.body, { 'content-disposition': name })
    },
    address({ query, response }) {
      const target = targets[(readNumber(query.get('target')) ?? 0) - 1]
      if (target === undefined) return refuse(response, { status: 404, message: 'target not found' })
      respondWithJson(response, { url: target.url })
    },
  }
  const post: Routes = {
    async resend({ query, response }) {
      const event = eventOf(query)
      if (event === undefined) return refuse(response, forgotten)
      const { signal } = ending
      const results = await resend(event, options, { timeout, signal, clock })
      const note = store.noteFor(readNumber(query.get('call')) ?? -1, event.forwarding)
      for (const { target, outcome } of results) {
        const knownDelivery = event.forwarding.deliveries.find(delivery => delivery.target === target)
        const attempts = knownDelivery?.state === 'sent' ? knownDelivery.attempt : 0
        note({ state: 'sent', target, attempt: attempts + 1, again: false, ...deliveredAs(outcome) })
      }
      streams.changed()
      respondWithJson(response, { results: results.map(({ url, outcome }) => ({ url, outcome })) })
    },
  }

  return {
    ...createPrivatePage({ assets, get, post, path: options.path }),
    observe(appliedEvent, delivery) {
      const note = store.add(appliedEvent, delivery, clock.now())
      streams.changed()
      return (target, state) => {
        note({ ...state, target: target + 1 })
        streams.changed()
      }
    },
    changed: streams.changed,
    close() {
      ending.abort()
      streams.close()
    },
  }
}

const forgotten: Rejection = { status: 404, message: 'this event is no longer available' }

/** Sends an event again unchanged to every target that accepts its type, in parallel and once each. */
async function resend(
  { body, contentType, type, request }: RawEvent,
  { targets, passHeaders = true, requiredHeader }: TailPageOptions,
  sending: { readonly timeout: number; readonly signal: AbortSignal; readonly clock: Clock },
): Promise<(ResendResult & { readonly target: number })[]> {
  const { clock } = sending
  const results = selectTargets(type, targets).map(async forwardTarget => {
    const { url, headers } = forwardTarget
    const startedAt = clock.now()
    const envelope = passHeaders ? envelopeOf(request, requiredHeader) : undefined
    const answer = await postEvent({ url, body, contentType, envelope, headers, ...sending }).catch(error => {
      if (!(error instanceof CallyardError)) throw error
      return { failure: { reason: error.message, milliseconds: clock.now() - startedAt } }
    })
    const outcome =
      'failure' in answer ? answer.failure : { ...answer, body: answer.body.slice(0, maxShownBodyLength) }
    return { target: targets.indexOf(forwardTarget) + 1, url: withoutQuery(url), outcome }
  })
  return Promise.all(results)
}

/** Converts the outcome of a delivery, without the response body. */
function deliveredAs(outcome: ResendResult['outcome']) {
  const { milliseconds } = outcome
  return 'status' in outcome
    ? { status: outcome.status, milliseconds }
    : { reason: outcome.reason, milliseconds }
}

/** Characters. */
const maxShownBodyLength = 4000
