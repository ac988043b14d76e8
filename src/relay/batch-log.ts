import {
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  type JsMsg,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { Timekeeper } from '../lib/clock.ts'
import { CallyardError } from '../lib/error.ts'
import type { LogResult, NewSharedEntry, SharedEntry } from '../lib/shared-log.ts'
import type { OpenedConnection } from './connection.ts'
import { batchLogLost, streamShape } from './errors.ts'
import { isStale } from './rejections.ts'
import { addReplicated } from './replicas.ts'
import { differences, duplicateWindowMs, findStream, streamFailure } from './stream.ts'
import { encodeToken } from './subjects.ts'

/** Last entry that was read, to find it again over another connection. */
export interface LogPosition {
  /** Creation of the stream: a new one of the same name is another log. */
  readonly created: string
  readonly sequence: number
  readonly id: string
}

interface LogOptions {
  readonly batch: string
  /** `existing` creates nothing. */
  readonly mode: 'create' | 'existing'
  readonly after: LogPosition | undefined
  /** True to wait for entries that a new leader may not have applied yet. */
  readonly isPatient: boolean
  readonly timeoutMs: number
  readonly clock: Timekeeper
}

export type BatchLog = Awaited<ReturnType<typeof openBatchLog>>

const maxAhead = 1000
const idleHeartbeatMs = 2500
const goneTypes: readonly string[] = ['stream_not_found', 'consumer_not_found', 'consumer_deleted']
const afterHeader = 'Nats-Expected-Last-Subject-Sequence'

/**
 * Opens the log of a batch over a connection: a stream with one subject for each topic.
 * @throws CallyardError `usage` for a missing log, `conflict` for one that lost entries or was made for something else, and `refused`
 */
export async function openBatchLog({ connection, jsm }: OpenedConnection, options: LogOptions) {
  const { batch, after, isPatient, timeoutMs, clock } = options
  const token = encodeToken(batch)
  const stream = `callyard-batch-${token}`
  const maxBytes = (connection.info?.max_payload ?? 1024 ** 2) - 1024
  const js = jsm.jetstream()
  const info = await requireLog(jsm, stream, `callyard.batch.${token}.*`, options)
  if (after !== undefined && !(await hasEntry(jsm, info, after))) {
    if (info.created !== after.created || info.state.last_seq >= after.sequence || !isPatient)
      throw batchLogLost(batch)
    throw new Error(`entry ${after.sequence} is not there yet`)
  }

  const askedAt = clock.now()
  const consumer = await js.consumers.get(stream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: (after?.sequence ?? 0) + 1,
  })
  const messages = await consumer.consume({
    max_messages: maxAhead,
    expires: 2 * idleHeartbeatMs,
    idle_heartbeat: idleHeartbeatMs,
  })
  const { created } = await consumer.info()
  return {
    created: info.created,
    replicas: info.config.num_replicas,
    /** Entries that exist. */
    last: info.state.last_seq,
    clockAheadMs: (askedAt + clock.now()) / 2 - Date.parse(created),
    /** Calls back if the stream or its consumer is gone: both may be others when they are back. */
    watch(onGone: (error: Error) => void): void {
      const follow = async () => {
        for await (const { type } of messages.status()) if (goneTypes.includes(type)) onGone(new Error(type))
      }
      follow().catch(onGone)
    },
    /** Ends with the connection. */
    async *entries(): AsyncGenerator<SharedEntry, undefined> {
      for await (const message of messages) yield toEntry(message)
    },
    /** @throws CallyardError `usage` for an entry that is too large; anything else means that it may be stored */
    async append({ topic, id, text, after: expected }: NewSharedEntry): Promise<LogResult> {
      const bytes = Buffer.byteLength(text)
      if (bytes > maxBytes) throw entryTooLarge(bytes, maxBytes)
      const subject = `callyard.batch.${token}.${topic}`
      const expect = {
        streamName: stream,
        ...(expected !== undefined && { lastSubjectSequence: expected }),
      }
      try {
        const { seq } = await js.publish(subject, text, { msgID: id, timeout: timeoutMs, expect })
        return { sequence: seq }
      } catch (error) {
        if (!isStale(error)) throw error
        const last = await jsm.streams.getMessage(stream, { last_by_subj: subject })
        const sequence = last?.seq ?? 0
        if (sequence < (expected ?? 0)) throw batchLogLost(batch)
        return { sequence }
      }
    },
  }
}

async function requireLog(
  jsm: JetStreamManager,
  stream: string,
  subjects: string,
  { batch, mode }: LogOptions,
): Promise<StreamInfo> {
  const shape = {
    subjects: [subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_age: 0,
    max_bytes: -1,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    deny_delete: true,
    deny_purge: true,
    duplicate_window: duplicateWindowMs * 1_000_000,
  }
  try {
    if (mode === 'create' && (await findStream(jsm, stream)) === undefined)
      await addReplicated(jsm, { ...shape, subjects: [...shape.subjects], name: stream })
    const info = await findStream(jsm, stream)
    if (info === undefined) throw batchMissing(batch)
    const changes = differences(info.config, shape)
    if (changes.length > 0) throw streamShape(stream, changes)
    return info
  } catch (error) {
    throw streamFailure(stream, error, subjects)
  }
}

/** Acknowledged entries are lost if most brokers lose power; others may have their numbers then. */
async function hasEntry(
  jsm: JetStreamManager,
  { config, created }: StreamInfo,
  after: LogPosition,
): Promise<boolean> {
  const message = await jsm.streams.getMessage(config.name, { seq: after.sequence })
  return created === after.created && message?.header.get('Nats-Msg-Id') === after.id
}

function toEntry({ seq, subject, headers, data, time }: JsMsg & { readonly time: Date }): SharedEntry {
  const expected = headers?.get(afterHeader)
  return {
    sequence: seq,
    topic: subject.endsWith('.decisions') ? 'decisions' : 'knowledge',
    id: headers?.get('Nats-Msg-Id') ?? '',
    text: Buffer.from(data).toString(),
    at: time.getTime(),
    ...(expected !== undefined && expected !== '' && { after: Number(expected) }),
  }
}

const batchMissing = (batch: string) =>
  new CallyardError('usage', `no shared batch ${batch} at this broker`, {
    code: 'batch-missing',
    hint: 'start it with a shared queue, or check its name and the URL of the broker',
    details: { batch },
  })

const entryTooLarge = (bytes: number, max: number) =>
  new CallyardError('usage', `the list has ${bytes} bytes, and the broker accepts ${max}`, {
    code: 'entry-too-large',
    hint: 'add it in smaller parts, or raise max_payload of nats-server',
    details: { bytes, max },
  })
