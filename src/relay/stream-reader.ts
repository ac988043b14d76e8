import { randomUUID } from 'node:crypto'
import {
  DeliverPolicy,
  type JetStreamManager,
  jetstreamManager,
  type NextMsgRequest,
  type SeqMsgRequest,
} from '@nats-io/jetstream'
import { errors, type NatsConnection } from '@nats-io/transport-node'
import { monotonicMs, systemClock } from '../lib/clock.ts'
import { type StreamMessage, toStreamMessage } from './stream-message.ts'
import { subjectFilter } from './subjects.ts'

export interface StreamReaderOptions {
  readonly stream: string
  /** Default: all. nats-server 2.9 supports one filter per consumer, so it is one partition or all. */
  readonly partition?: string | undefined
  /** Token of a call; default: all. */
  readonly call?: string | undefined
  /** First sequence. */
  readonly from: number
  /** Messages that are requested ahead. A body may have 1 MB. */
  readonly maxAhead: number
}

export type StreamReader = Awaited<ReturnType<typeof openStreamReader>>

const idleHeartbeatMs = 2500
/** Doubled for each attempt: a server may be dead, or the cluster slow. */
const firstTimeoutMs = 500
const maxTimeoutMs = 4000
const createWithinMs = 10_000
const createPauseMs = 250
/** A process that is killed leaves its consumers. */
const inactiveMs = 60_000

/** Reads messages in order with an ordered consumer, which belongs to this process. */
export async function openStreamReader(connection: NatsConnection, options: StreamReaderOptions) {
  const { consumer, messages } = await consume(connection, options)
  const endWithServer = async () => {
    for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop()
  }
  void endWithServer()
  return {
    /** Ends after `stop`, with the connection, or if the server of the consumer dies. */
    async *messages(): AsyncGenerator<StreamMessage, undefined> {
      for await (const message of messages) yield toStreamMessage(message)
    },
    /** Last sequence that was sent to this process, and the number of messages that were not. */
    async progress() {
      const { delivered, num_pending } = await consumer.info()
      return { delivered: delivered.stream_seq, pending: num_pending }
    },
    /** Ends `messages`. Does not wait: the client would wait for a reader that has ended already. */
    stop() {
      messages.stop()
      // The server of the consumer may be dead.
      consumer.delete().catch(() => undefined)
    },
  }
}

/**
 * Creates a consumer. The cluster places it on any server of the stream, also on one that has just died, and does not respond, or on one
 * whose disk is full, and refuses it. Each attempt may get another server, and removes its consumer if it fails.
 */
async function consume(connection: NatsConnection, options: StreamReaderOptions) {
  const { stream, partition, call, from, maxAhead } = options
  const startedAt = monotonicMs()
  for (let attempt = 0; ; attempt++) {
    const prefix = randomUUID()
    const timeout = Math.min(firstTimeoutMs * 2 ** attempt, maxTimeoutMs)
    const jsm = await jetstreamManager(connection, { timeout, checkAPI: false })
    try {
      const consumer = await jsm.jetstream().consumers.get(stream, {
        name_prefix: prefix,
        filter_subjects: subjectFilter(stream, partition, call),
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: Math.max(from, 1),
        inactive_threshold: inactiveMs,
      })
      const messages = await consumer.consume({
        max_messages: maxAhead,
        expires: 2 * idleHeartbeatMs,
        idle_heartbeat: idleHeartbeatMs,
      })
      return { consumer, messages }
    } catch (error) {
      if (connection.isClosed() || monotonicMs() - startedAt > createWithinMs) throw error
      // The client names the consumer like this.
      jsm.consumers.delete(stream, `${prefix}_1`).catch(() => undefined)
      if (!(error instanceof errors.TimeoutError)) await systemClock.sleep(createPauseMs)
    }
  }
}

/** Reads messages with one reader after another. Rejects when the connection is closed. */
export async function* readMessages(
  connection: NatsConnection,
  options: StreamReaderOptions,
): AsyncGenerator<StreamMessage, undefined> {
  for (let { from } = options; ; ) {
    const reader = await openStreamReader(connection, { ...options, from })
    try {
      for await (const message of reader.messages()) {
        from = message.sequence + 1
        yield message
      }
    } finally {
      reader.stop()
    }
  }
}

interface NextOptions {
  readonly stream: string
  readonly subject: string
  /** First sequence. */
  readonly from: number
}

/** Returns the first message with this subject, from a sequence on. */
export async function nextMessage(
  jsm: JetStreamManager,
  { stream, subject, from }: NextOptions,
): Promise<StreamMessage | undefined> {
  const message = await getNext(jsm, stream, { seq: from, next_by_subj: subject })
  if (message === null) return undefined
  const { seq, data, header, time } = message
  return toStreamMessage({ seq, subject: message.subject, data, headers: header, time })
}

/** Returns the sequence of the first message that was stored at this time or later; the next sequence if there is none. */
export async function sequenceAt(jsm: JetStreamManager, stream: string, time: number): Promise<number> {
  const { state } = await jsm.streams.info(stream)
  let [low, high] = [state.first_seq, state.last_seq + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const message = await getNext(jsm, stream, { seq: middle, next_by_subj: subjectFilter(stream) })
    if (message === null || message.time.getTime() >= time) high = middle
    else low = message.seq + 1
  }
  return low
}

/** A request with both fields, which nats-server supports and the types of the client do not declare. */
type NextQuery = SeqMsgRequest & NextMsgRequest

function getNext(jsm: JetStreamManager, stream: string, query: NextQuery) {
  return jsm.streams.getMessage(stream, query)
}
