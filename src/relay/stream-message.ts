import type { MsgHdrs } from '@nats-io/transport-node'
import * as z from 'zod/mini'
import type { ReceivedDelivery } from '../events/conversation/index.ts'
import { type RecordedEvent, recordBody, recordedEvents } from '../events/recordings/index.ts'
import { parseJson } from '../lib/json.ts'

/** A message of the stream, as the delivery that the relay received. */
export interface StreamMessage {
  /** In the stream, from 1. */
  readonly sequence: number
  readonly subject: string
  /** `p00` to `p31`. */
  readonly partition: string
  readonly delivery: ReceivedDelivery & { readonly at: string }
}

interface StoredMessage {
  readonly seq: number
  readonly subject: string
  readonly data: Uint8Array
  readonly headers?: MsgHdrs | undefined
  readonly time: Date
}

const requestSchema = z.record(z.string(), z.string())

/**
 * Converts a message of the relay, or of another publisher of webhook bodies. A body with events of several calls is in the stream once
 * for each of them; only the events of the call of this message are left.
 */
export function toStreamMessage({ seq, subject, data, headers, time }: StoredMessage): StreamMessage {
  const header = (name: string) => headers?.get(name) || undefined
  const at = header('Callyard-At')
  const type = header('Content-Type')
  const coding = header('Content-Encoding')
  const request = requestSchema.safeParse(parseJson(header('Callyard-Request') ?? '')).data ?? {
    ...(type !== undefined && { 'content-type': type }),
    ...(coding !== undefined && { 'content-encoding': coding }),
  }
  const body = Buffer.from(data.buffer, data.byteOffset, data.length)
  const query = z.string().safeParse(parseJson(header('Callyard-Query') ?? '')).data
  const whole = { body, headers: request }
  const positions = header('Callyard-Events')
  return {
    sequence: seq,
    subject,
    partition: subject.split('.')[1] ?? '',
    delivery: {
      ...(positions === undefined ? whole : eventsAt(positions.split(',').map(Number), whole)),
      ...(query !== undefined && { query }),
      at: isTime(at) ? at : time.toISOString(),
    },
  }
}

function eventsAt(
  positions: readonly number[],
  { body, headers }: { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> },
) {
  const events = recordedEvents({ ...recordBody(body), headers })
  const bodies = positions.flatMap(position => events[position]?.body ?? [])
  const { 'content-encoding': _, ...rest } = headers
  return {
    body: Buffer.from(JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)),
    headers: { ...rest, 'content-type': 'application/json' },
  }
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && z.iso.datetime().safeParse(text).success
}
/** Returns a delivery as a line of a recording. */
export function toRecordedEvent({ delivery: { at, body, headers, query } }: StreamMessage): RecordedEvent {
  const content = recordBody(body)
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return {
    kind: 'recorded',
    version: 1,
    at,
    headers: Object.fromEntries(texts),
    ...(query !== undefined && { query }),
    ...content,
  }
}
