import { setMaxListeners } from 'node:events'
import { getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { systemClock } from '../../lib/clock.ts'
import { type EventOutcome, type PostEventOptions, postEvent } from './post-event.ts'

/** An event for the thread to send; the number identifies its response. */
export interface ThreadQuestion extends Omit<PostEventOptions, 'body' | 'signal' | 'clock'> {
  readonly number: number
  readonly body: Uint8Array
}

export interface ThreadResponse {
  readonly number: number
  readonly outcome: EventOutcome
}

/** When all cores are busy, the receiving thread gets three times the share of this one. */
const nicer = 5
const maxNiceness = 19

try {
  // On other systems than Linux this would be the whole process.
  if (platform() === 'linux') setPriority(Math.min(getPriority() + nicer, maxNiceness))
} catch {
  // Not allowed here: both have the same share.
}

// What breaks a connection is known by its code: a stack for each would cost as much as its connection.
Error.stackTraceLimit = 0

/** Never aborts: what is under way ends with the thread. */
const { signal } = new AbortController()
// Each request listens to it.
setMaxListeners(0, signal)

parentPort?.on('message', async ({ number, body, ...question }: ThreadQuestion) => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const outcome = await postEvent({ ...question, body: bytes, signal, clock: systemClock })
  parentPort?.postMessage({ number, outcome } satisfies ThreadResponse)
})
