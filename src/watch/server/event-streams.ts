import type { ServerResponse } from 'node:http'
import type { Clock } from '../../lib/clock.ts'
import type { StreamOpened } from '../wire.ts'
import { type Cursor, nextBatch } from './batches.ts'
import type { CallStore } from './call-store.ts'

/**
 * Sends server-sent events to every open page. Each page gets its missing data at most ten times per second. Nothing is queued for a page
 * that does not read except its current batch.
 */
export function createEventStreams(store: CallStore, hello: StreamOpened, clock: Clock) {
  const streams = new Set<Stream>()
  const ending = new AbortController()
  let scheduled = false
  let beating = false

  const write = (stream: Stream) => {
    if (stream.full) return
    const next = nextBatch(store, stream.cursor)
    if (next === undefined) return
    stream.cursor = next.cursor
    stream.full = !stream.response.write(toFrame('batch', next.batch))
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

  return {
    /** True if the limit is reached. */
    get full() {
      return streams.size >= maxStreams
    },
    /** Starts a stream on a response whose head is written. */
    open(response: ServerResponse, cursor: Cursor) {
      if (ending.signal.aborted) return void response.end(ended)
      const stream: Stream = { response, cursor, full: false }
      streams.add(stream)
      response.on('close', () => streams.delete(stream))
      response.on('drain', () => {
        stream.full = false
        schedule()
      })
      response.write(`retry: ${retryMs}\n${toFrame('hello', hello)}`)
      write(stream)
      beat().catch(ignore)
    },
    /** The store has changed. */
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

interface Stream {
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
