import { setMaxListeners } from 'node:events'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../lib/clock.ts'
import { CallyardError, getErrorReason } from '../../lib/error.ts'
import { type EventOutcome, type PostEventOptions, postEvent } from './post-event.ts'
import type { ThreadQuestion, ThreadResponse } from './thread.ts'

type Posting = Omit<PostEventOptions, 'body' | 'signal' | 'clock'> & { readonly body: Buffer }

interface Waiting {
  readonly posting: Posting
  resolve(outcome: EventOutcome | Promise<EventOutcome>): void
  reject(error: CallyardError): void
}

export type SendingThread = Awaited<ReturnType<typeof startSendingThread>>

/**
 * Sends events in a thread of its own, so that the receiving thread can respond quickly. If the thread cannot start, or ends, events
 * are sent from this thread.
 */
export async function startSendingThread() {
  const { default: program } = await import('./thread.ts?worker')
  const waiting = new Map<number, Waiting>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  let numbers = 0
  let isOnline = false
  let reason = 'it ended'

  const postHere = (posting: Posting) => postEvent({ ...posting, signal: closing.signal, clock: systemClock })
  let worker: Worker | undefined = new Worker(program, { eval: true })
  worker.unref()
  worker.once('online', () => {
    isOnline = true
  })
  worker.on('message', ({ number, outcome }: ThreadResponse) => {
    waiting.get(number)?.resolve(outcome)
    waiting.delete(number)
  })
  worker.once('error', error => {
    reason = getErrorReason(error)
  })
  worker.once('exit', () => {
    worker = undefined
    const openRequests = [...waiting.values()]
    waiting.clear()
    const failure = { reason: `the thread that sends failed: ${reason}`, unsent: false, milliseconds: 0 }
    // What a thread had that never ran was not sent.
    for (const { posting, resolve } of openRequests) resolve(isOnline ? { failure } : postHere(posting))
  })
  return {
    /** Calls postEvent in the thread. Rejects with CallyardError `cancelled` after close. */
    post(posting: Posting): Promise<EventOutcome> {
      if (closing.signal.aborted || worker === undefined) return postHere(posting)
      const number = numbers++
      // A copy, which is handed over: the bytes may be a part of what others read.
      const body = new Uint8Array(posting.body)
      worker.postMessage({ ...posting, body, number } satisfies ThreadQuestion, [body.buffer])
      return new Promise((resolve, reject) => waiting.set(number, { posting, resolve, reject }))
    },
    /** Breaks off what is under way. */
    async close() {
      closing.abort()
      for (const { reject } of waiting.values()) reject(new CallyardError('cancelled', 'cancelled'))
      waiting.clear()
      await worker?.terminate()
    },
  }
}
