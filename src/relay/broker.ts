import { JetStreamApiError } from '@nats-io/jetstream'
import { errors, headers, type MsgHdrs } from '@nats-io/transport-node'
import { getErrorReason } from '../lib/error.ts'
import { createPublish } from './acknowledged-publish.ts'
import {
  type BrokerConnection,
  type ConnectionOptions,
  type OpenedConnection,
  openConnection,
  untilElected,
} from './connection.ts'
import type { RelayedMessage } from './relayed-event.ts'
import type { StoredMessage } from './segment.ts'
import type { FindStored } from './spool.ts'
import {
  findStream,
  type PreparedStream,
  prepareStream,
  type StreamMode,
  type StreamOptions,
} from './stream.ts'

export interface BrokerOptions extends ConnectionOptions, StreamOptions {}

/** The message in the stream; `too-large` if the broker never accepts it; an error after trouble. */
export type PublishResult = (StoredMessage & { readonly isDuplicate: boolean }) | 'too-large' | Error

/** A connection that publishes. */
export interface Broker extends BrokerConnection {
  /** Maximum size of a message with its headers. */
  readonly maxPayloadBytes: number
  readonly stream: PreparedStream
  /** Publishes a message, and calls back once, perhaps before it returns. A callback: promises would take a tenth of the time. */
  publish(message: RelayedMessage, onResult: (result: PublishResult) => void): void
  readonly findStored: FindStored
}

/**
 * Connects to the first server that responds, and prepares the stream.
 * @throws CallyardError as openConnection does, `conflict` as prepareStream does
 */
export function connectBroker(options: BrokerOptions, mode: StreamMode): Promise<Broker> {
  return openConnection(options, opened => prepare(opened, options, mode))
}

async function prepare(opened: OpenedConnection, options: BrokerOptions, mode: StreamMode): Promise<Broker> {
  const { connection, jsm } = opened
  const { stream, timeoutMs } = options
  await untilElected(connection, timeoutMs, manager => findStream(manager, stream))
  const prepared = await prepareStream(jsm, options, mode, opened.cluster.length)
  const publish = createPublish(connection, timeoutMs)
  const toHeaders = createHeaderWriter()
  return {
    ...opened,
    maxPayloadBytes: connection.info?.max_payload ?? 1024 ** 2,
    stream: prepared,
    publish({ subject, id, body, headers: fields }, onResult) {
      const head = toHeaders({ ...fields, 'Nats-Msg-Id': id, 'Nats-Expected-Stream': stream })
      const onFailed = (error: Error) => onResult(isTooLarge(error) ? 'too-large' : error)
      try {
        publish({ subject, body, headers: head }, result => {
          if (result instanceof Error) onFailed(result)
          else onResult({ id, sequence: result.sequence, isDuplicate: result.isDuplicate })
        })
      } catch (error) {
        onFailed(error instanceof Error ? error : new Error(getErrorReason(error)))
      }
    },
    async findStored({ sequence, id }) {
      const { state } = await jsm.streams.info(stream)
      const { first_seq: first, last_seq: last } = state
      const hasHoles = state.messages < last - first + 1
      // Older messages were removed by the limits of the stream.
      if (sequence < first || sequence > last) return { isStored: sequence <= last, hasHoles }
      const message = await jsm.streams.getMessage(stream, { seq: sequence })
      return { isStored: message?.header.get('Nats-Msg-Id') === id, hasHoles }
    },
  }
}

/**
 * Returns a function that writes the headers of one message after the other to the same object, which the client encodes when it
 * publishes. Most values do not change, and setting one takes half as long as encoding all of them.
 */
function createHeaderWriter(): (fields: Readonly<Record<string, string>>) => MsgHdrs {
  const messageHeaders = headers()
  const values = new Map<string, string>()
  return fields => {
    for (const name of values.keys()) {
      if (name in fields) continue
      messageHeaders.delete(name)
      values.delete(name)
    }
    for (const [name, value] of Object.entries(fields)) {
      if (values.get(name) === value) continue
      messageHeaders.set(name, value)
      values.set(name, value)
    }
    return messageHeaders
  }
}

/** `10054`: larger than `max_msg_size` of the stream. The client checks `max_payload` of the server. */
function isTooLarge(error: Error): boolean {
  return (
    (error instanceof errors.InvalidArgumentError && /max_payload/.test(error.message)) ||
    (error instanceof JetStreamApiError && error.code === 10054)
  )
}
