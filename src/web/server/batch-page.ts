import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { BatchFeed, BatchRowQuery } from '../batch-wire.ts'
import { shorten } from '../shorten.ts'
import type { BatchPageOpened, ShownBatch } from '../wire.ts'
import { createEventStreams } from './event-streams.ts'
import { type PageAssets, type Routes, readNumber, respondWithJson } from './page-http.ts'
import { createPrivatePage, type PrivatePage } from './private-page.ts'
import { toShownBatch, toShownRow } from './shown-batch.ts'

interface BatchPageParts {
  readonly feed: BatchFeed
  readonly clock: Clock
  readonly assets: PageAssets
}

/** The page of a running batch: its summary as a stream, and its people in parts. */
export interface BatchPage extends PrivatePage {
  /** Tells every open page that the run has ended. Resolves when each has read its people for the last time. */
  close(): Promise<void>
}

export function createBatchPage({ feed, clock, assets }: BatchPageParts): BatchPage {
  const opening: BatchPageOpened = { run: randomBytes(8).toString('hex') }
  /** Shared by all pages until the next change. */
  let currentBatch: ShownBatch | undefined
  const streams = createEventStreams<number | undefined>({
    opening,
    next(version) {
      currentBatch ??= toShownBatch(feed.summary())
      return currentBatch.version === version
        ? undefined
        : { changes: currentBatch, cursor: currentBatch.version }
    },
    clock,
  })
  const unsubscribe = feed.subscribe(() => {
    currentBatch = undefined
    streams.changed()
  })
  let onLastRead = () => {}
  const get: Routes = {
    events(visit) {
      const { query } = visit
      const isKnown = query.get('run') === opening.run
      streams.accept(visit, isKnown ? readNumber(query.get('since')) : undefined)
    },
    rows({ query, response }) {
      const { total, rows } = feed.rows(readRowQuery(query))
      if (query.has('last')) response.on('close', () => onLastRead())
      respondWithJson(response, { total, rows: rows.slice(0, maxRows).map(toShownRow) })
    },
  }
  return {
    ...createPrivatePage({ assets, get }),
    close() {
      unsubscribe()
      currentBatch = undefined
      let pages = streams.size
      const read = new Promise<void>(resolve => {
        onLastRead = () => {
          pages -= 1
          if (pages <= 0) resolve()
        }
        if (pages === 0) resolve()
      })
      streams.close()
      return read
    },
  }
}

/** Reads a query; limits that are missing or too high are replaced. */
function readRowQuery(query: URLSearchParams): BatchRowQuery {
  const limit = readNumber(query.get('limit')) ?? defaultRows
  return {
    status: query.get('status') ?? undefined,
    search: shorten(query.get('search')?.trim() ?? '', maxSearchLength) || undefined,
    from: readNumber(query.get('from')) ?? 0,
    limit: Math.min(Math.max(limit, 1), maxRows),
  }
}

const defaultRows = 100
const maxRows = 200
/** Characters. */
const maxSearchLength = 200
