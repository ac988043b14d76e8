import type { ServerResponse } from 'node:http'
import type { Rejection } from '../../events/conversation/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { pageHeaders, refuse, type Visit } from './page-http.ts'

interface StreamOptions<Cursor> {
  /** First message of every stream. */
  readonly opening: unknown
  /** Returns the changes that a page lacks and its next cursor; undefined if it is up to date. */
  next(cursor: Cursor): { readonly changes: unknown; readonly cursor: Cursor } | undefined
  readonly clock: Clock
}

/**
 * Sends server-sent events to every open page. Each page gets its missing data at most ten times per second. Nothing is queued for a page
 * that does not read except its current changes.
 */
export function createEventStreams<Cursor>({ opening, next, clock }: StreamOptions<Cursor>) {
  const streams = new Set<Stream<Cursor>>()
  const ending = new AbortController()
  let scheduled = false
  let beating = false

  const write = (stream: Stream<Cursor>) => {
    if (stream.full) return
    const news = next(stream.cursor)
    if (news === undefined) return
    stream.cursor = news.cursor
    stream.full = !stream.response.write(toFrame('changes', news.changes))
  }
  const schedule = () => {
    if (scheduled || streams.size === 0) return
    scheduled = true
    const flush = () => {
      scheduled = false
      for (const stream of streams) write(stream)
    }
    clock.sleep(interval, ending.signal).then(flush, ignore)
  }
  /** Finds out about pages that went away without a word. */
  const beat = async () => {
    if (beating) return
    beating = true
    while (streams.size > 0) {
      await clock.sleep(heartbeatMs, ending.signal)
      for (const { response, full } of streams) if (!full) response.write(': still here\n\n')
    }
    beating = false
  }
  const open = (response: ServerResponse, cursor: Cursor) => {
    if (ending.signal.aborted) return void response.end(ended)
    const stream: Stream<Cursor> = { response, cursor, full: false }
    streams.add(stream)
    response.on('close', () => streams.delete(stream))
    response.on('drain', () => {
      stream.full = false
      schedule()
    })
    response.write(`retry: ${retryMs}\n${toFrame('hello', opening)}`)
    write(stream)
    beat().catch(ignore)
  }

  return {
    /** Number of open pages. */
    get size() {
      return streams.size
    },
    /** Responds with a stream from a cursor on, or with 503 if too many pages are open. */
    accept({ method, response }: Visit, cursor: Cursor) {
      if (streams.size >= maxStreams) return refuse(response, tooManyPages)
      response.writeHead(200, { ...pageHeaders, 'content-type': 'text/event-stream; charset=utf-8' })
      if (method === 'HEAD') response.end()
      else open(response, cursor)
    },
    /** Sends changes to every page soon. */
    changed: schedule,
    /** Tells every page that this was all. */
    close() {
      ending.abort()
      for (const stream of streams) {
        write(stream)
        stream.response.end(ended)
      }
      streams.clear()
    },
  }
}

const tooManyPages: Rejection = { status: 503, message: 'too many pages are open' }

interface Stream<Cursor> {
  readonly response: ServerResponse
  cursor: Cursor
  /** True if the last write is still buffered. */
  full: boolean
}

function ignore(): void {}

/** JSON has no line ends of its own, which would end the frame. */
function toFrame(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

const ended = toFrame('ended', {})

/** Milliseconds. */
const interval = 100
const heartbeatMs = 15_000
const retryMs = 1000
const maxStreams = 32
