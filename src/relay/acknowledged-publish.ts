import { JetStreamApiError } from '@nats-io/jetstream'
import { createInbox, errors, type headers, type NatsConnection } from '@nats-io/transport-node'
import * as z from 'zod/mini'
import { backgroundClock, monotonicMs } from '../lib/clock.ts'
import { parseJson } from '../lib/json.ts'
import { createDeferred } from '../lib/queue.ts'

export interface PublishAck {
  readonly sequence: number
  readonly isDuplicate: boolean
}

interface Waiting extends Pick<ReturnType<typeof createDeferred<PublishAck>>, 'resolve' | 'reject'> {
  readonly sentAt: number
}

interface Message {
  readonly subject: string
  readonly body: Uint8Array
  readonly headers: ReturnType<typeof headers>
}

const ackSchema = z.union([
  z.object({ seq: z.int(), duplicate: z.optional(z.boolean()) }),
  z.object({ error: z.object({ code: z.int(), err_code: z.int(), description: z.string() }) }),
])

/** Status of a response to a message that no stream receives, as while a leader is elected. */
const noResponders = 503

/**
 * Returns a function that publishes to JetStream and resolves with the acknowledgment. One subscription receives all of them: a request
 * for each message creates a timer and an error, which take a quarter of the time.
 */
export function createPublish(connection: NatsConnection, timeoutMs: number) {
  const inbox = createInbox()
  const waiting = new Map<string, Waiting>()
  let number = 0
  connection.subscribe(`${inbox}.*`, {
    callback(error, { subject, data, headers }) {
      const sent = waiting.get(subject)
      if (sent === undefined) return
      waiting.delete(subject)
      if (error !== null) sent.reject(error)
      else if (headers?.code === noResponders) sent.reject(new Error('no server responds for the stream'))
      else settle(sent, data)
    },
  })
  const expire = async () => {
    while (!connection.isClosed()) {
      await backgroundClock.sleep(timeoutMs / 4)
      // In the order in which they were sent.
      for (const [reply, { sentAt, reject }] of waiting) {
        if (monotonicMs() - sentAt < timeoutMs) break
        waiting.delete(reply)
        reject(new errors.TimeoutError())
      }
    }
  }
  void expire()
  void connection.closed().then(error => {
    for (const { reject } of waiting.values()) reject(error ?? new Error('the connection was closed'))
    waiting.clear()
  })
  return async ({ subject, body, headers }: Message): Promise<PublishAck> => {
    const reply = `${inbox}.${++number}`
    const { promise, resolve, reject } = createDeferred<PublishAck>()
    connection.publish(subject, body, { reply, headers })
    waiting.set(reply, { resolve, reject, sentAt: monotonicMs() })
    return promise
  }
}

function settle({ resolve, reject }: Waiting, data: Uint8Array): void {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString()
  const { data: ack } = ackSchema.safeParse(parseJson(text))
  if (ack === undefined) reject(new Error('the acknowledgment cannot be read'))
  else if ('error' in ack) reject(new JetStreamApiError(ack.error))
  else resolve({ sequence: ack.seq, isDuplicate: ack.duplicate === true })
}
