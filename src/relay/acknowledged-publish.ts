import { JetStreamApiError } from '@nats-io/jetstream'
import { createInbox, errors, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node'
import * as z from 'zod/mini'
import { backgroundClock, monotonicMs } from '../lib/clock.ts'
import { parseJson } from '../lib/json.ts'

export interface PublishAck {
  readonly sequence: number
  readonly isDuplicate: boolean
}

/** Called once, with the acknowledgment or the reason why there is none. */
type OnResult = (result: PublishAck | Error) => void

interface Waiting {
  readonly onResult: OnResult
  readonly sentAt: number
}

interface Message {
  readonly subject: string
  readonly body: Uint8Array
  readonly headers: MsgHdrs
}

/** The error is first: with one, the sequence may be there too, as 0. */
const ackSchema = z.union([
  z.object({ error: z.object({ code: z.int(), err_code: z.int(), description: z.string() }) }),
  z.object({ seq: z.int().check(z.positive()), duplicate: z.optional(z.boolean()) }),
])

/** Status of a response to a message that no stream receives, as while a leader is elected. */
const noResponders = 503

/**
 * Returns a function that publishes to JetStream. One subscription receives all acknowledgments: a request for each message creates a
 * timer and an error, which take a quarter of the time.
 */
export function createPublish(connection: NatsConnection, timeoutMs: number) {
  const inbox = createInbox()
  const waiting = new Map<number, Waiting>()
  let number = 0
  connection.subscribe(`${inbox}.*`, {
    callback(error, { subject, data, headers }) {
      const own = Number(subject.slice(inbox.length + 1))
      const waiter = waiting.get(own)
      if (waiter === undefined) return
      waiting.delete(own)
      if (error !== null) waiter.onResult(error)
      else if (headers?.code === noResponders) waiter.onResult(new Error('no server responds for the stream'))
      else waiter.onResult(readAck(data))
    },
  })
  const expire = async () => {
    while (!connection.isClosed()) {
      await backgroundClock.sleep(timeoutMs / 4)
      // In the order in which they were sent.
      for (const [own, { sentAt, onResult }] of waiting) {
        if (monotonicMs() - sentAt < timeoutMs) break
        waiting.delete(own)
        onResult(new errors.TimeoutError())
      }
    }
  }
  void expire()
  void connection.closed().then(error => {
    for (const { onResult } of waiting.values()) onResult(error ?? new Error('the connection was closed'))
    waiting.clear()
  })
  /** @throws errors of the client for a message that it does not send */
  return ({ subject, body, headers }: Message, onResult: OnResult): void => {
    const own = ++number
    connection.publish(subject, body, { reply: `${inbox}.${own}`, headers })
    waiting.set(own, { onResult, sentAt: monotonicMs() })
  }
}

function readAck(data: Uint8Array): PublishAck | Error {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString()
  const { data: ack } = ackSchema.safeParse(parseJson(text))
  if (ack === undefined) return new Error('the acknowledgment cannot be read')
  if ('error' in ack) return new JetStreamApiError(ack.error)
  return { sequence: ack.seq, isDuplicate: ack.duplicate === true }
}
