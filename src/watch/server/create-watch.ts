import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import type { ForwardTarget, Watcher } from '../../webhook/index.ts'
import type { PageHints } from '../wire.ts'
import { createCallStore, type StoreBounds } from './call-store.ts'
import { createEventStreams } from './event-streams.ts'
import { pageRoutes } from './page-routes.ts'
import { assetRoutes, type PageAssets, type Route, serveRoute } from './serve-route.ts'

export interface WatchOptions extends StoreBounds {
  readonly assets: PageAssets
  readonly clock: Clock
  /** Where an event is sent again to. */
  readonly targets: readonly ForwardTarget[]
  /** Milliseconds that a target may take for it; default: 30 s. */
  readonly timeout?: number | undefined
  /** Where the listener takes events; default: `/`. */
  readonly eventPath?: string | undefined
  /** Name of the header that the listener requires of events. */
  readonly requiredHeader?: string | undefined
  readonly hints: PageHints
  /** That of an earlier watch, whose pages find this one; default: a random one. */
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
  const { assets, clock, hints, targets, timeout = 30_000, eventPath = '/', requiredHeader } = options
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
      hints,
      targets: targets.map(({ url, type, headers }, place) => ({
        number: place + 1,
        url: withoutQuery(url),
        type: type ?? null,
        headers: Object.keys(headers),
      })),
    },
  })

  const routes: Readonly<Record<string, Route>> = {
    ...assetRoutes(assets),
    ...pageRoutes({ store, streams, run, targets, timeout, clock, signal: ending.signal }),
  }

  return {
    path,
    take(taken, delivery) {
      store.take(taken, delivery, clock.now())
      streams.changed()
    },
    serve(request, response) {
      const { url = '' } = request
      if (!url.startsWith(prefix) || !isUnder(url, path)) return false
      serveRoute(routes, path, request, response)
      return true
    },
    close() {
      ending.abort()
      streams.close()
    },
  }
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
