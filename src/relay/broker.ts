import { JetStreamApiError } from '@nats-io/jetstream'
import { errors, headers } from '@nats-io/transport-node'
import { createPublish } from './acknowledged-publish.ts'
import { type ConnectionOptions, type OpenedConnection, openConnection } from './connection.ts'
import type { RelayedMessage } from './relayed-event.ts'
import type { StoredMessage } from './segment.ts'
import { type PreparedStream, prepareStream, type StreamMode, type StreamOptions } from './stream.ts'

export interface BrokerOptions extends ConnectionOptions, StreamOptions {}

/** A connection that publishes. */
export interface Broker
  extends Pick<OpenedConnection, 'server' | 'version' | 'cluster' | 'closed' | 'close'> {
  /** Maximum size of a message with its headers. */
  readonly maxPayloadBytes: number
  readonly stream: PreparedStream
  /** Resolves with the message in the stream; `too-large` if the broker never accepts it. Rejects after trouble. */
  publish(message: RelayedMessage): Promise<(StoredMessage & { readonly isDuplicate: boolean }) | 'too-large'>
  /** True if the stream has, or had, this message. */
  isStored(message: StoredMessage): Promise<boolean>
}

/**
 * Connects to the first server that responds, and prepares the stream.
 * @throws CallwrightError as openConnection does, `conflict` as prepareStream does
 */
export function connectBroker(options: BrokerOptions, mode: StreamMode): Promise<Broker> {
  return openConnection(options, opened => prepare(opened, options, mode))
}

async function prepare(opened: OpenedConnection, options: BrokerOptions, mode: StreamMode): Promise<Broker> {
  const { connection, jsm } = opened
  const { stream, timeoutMs } = options
  const prepared = await prepareStream(jsm, options, mode)
  const publish = createPublish(connection, timeoutMs)
  return {
    ...opened,
    maxPayloadBytes: connection.info?.max_payload ?? 1024 ** 2,
    stream: prepared,
    async publish({ subject, id, body, headers: fields }) {
      const head = headers()
      for (const [name, value] of Object.entries(fields)) head.set(name, value)
      head.set('Nats-Msg-Id', id)
      head.set('Nats-Expected-Stream', stream)
      try {
        return { id, ...(await publish({ subject, body, headers: head })) }
      } catch (error) {
        if (isTooLarge(error)) return 'too-large'
        throw error
      }
    },
    async isStored({ sequence, id }) {
      const { state } = await jsm.streams.info(stream)
      // Older messages were removed by the limits of the stream.
      if (sequence < state.first_seq) return sequence <= state.last_seq
      if (sequence > state.last_seq) return false
      const message = await jsm.streams.getMessage(stream, { seq: sequence })
      return message?.header.get('Nats-Msg-Id') === id
    },
  }
}

/** `10054`: larger than `max_msg_size` of the stream. The client checks `max_payload` of the server. */
function isTooLarge(error: unknown): boolean {
  return (
    (error instanceof errors.InvalidArgumentError && /max_payload/.test(error.message)) ||
    (error instanceof JetStreamApiError && error.code === 10054)
  )
}
