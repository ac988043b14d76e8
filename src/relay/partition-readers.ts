import { createDeferred } from '../lib/queue.ts'
import type { OpenedConnection } from './connection.ts'
import type { HeldPartitions } from './held-partitions.ts'
import type { StreamState } from './resolve-position.ts'
import type { StreamMessage } from './stream-message.ts'
import { nextMessage, openStreamReader, type StreamReader } from './stream-reader.ts'
import { partitionCount, subjectFilter } from './subjects.ts'

interface ReadersOptions {
  readonly connection: OpenedConnection
  readonly stream: string
  readonly heldPartitions: HeldPartitions
  readonly signal: AbortSignal
  deliver(message: StreamMessage): Promise<void>
  /** Runs in the background; errors end the session. */
  run(work: () => Promise<void>): void
}

interface ActiveReader {
  readonly reader: StreamReader
  /** Resolves when nothing more of it is delivered. */
  readonly ended: Promise<void>
  /** Last sequence up to which no event of its partitions was missed. */
  covered: number
  /** Last sequence that was delivered. */
  seen: number
  /** Value of `seen` when the server of the consumer lacked a later message that the leader has. */
  behindAt: number | undefined
}

/** Messages that a reader of all partitions, or of one, requests ahead. */
const maxAhead = { all: 256, one: 64 }
const allKey = '*'

/** Reads the held partitions: all together, or each on its own, because nats-server 2.9 has one filter per consumer. */
export function createPartitionReaders(options: ReadersOptions) {
  const { connection, stream, heldPartitions, signal, deliver, run } = options
  const readers = new Map<string, ActiveReader>()
  let isClosed = false
  let adjustment: Promise<unknown> = Promise.resolve()

  const partitionsOf = (key: string) =>
    key === allKey ? heldPartitions.all() : heldPartitions.all().filter(({ partition }) => partition === key)
  const start = async (key: string) => {
    const from = Math.min(
      ...partitionsOf(key).map(({ tracker, readNext }) => Math.min(tracker.unread, readNext)),
    )
    const reader = await openStreamReader(connection.connection, {
      stream,
      partition: key,
      from,
      maxAhead: key === allKey ? maxAhead.all : maxAhead.one,
    })
    const { promise: ended, resolve } = createDeferred()
    const active: ActiveReader = { reader, ended, covered: from - 1, seen: from - 1, behindAt: undefined }
    readers.set(key, active)
    run(async () => {
      try {
        for await (const message of reader.messages()) {
          await deliver(message)
          active.seen = message.sequence
          if (readers.get(key) !== active) break
        }
      } finally {
        resolve()
      }
      if (signal.aborted || readers.get(key) !== active) return
      readers.delete(key)
      await adjustNext()
    })
  }
  const adjustNext = () => {
    adjustment = adjustment.then(adjust)
    return adjustment
  }
  const stop = async (key: string) => {
    const active = readers.get(key)
    readers.delete(key)
    active?.reader.stop()
    await active?.ended
  }
  const adjust = async () => {
    const partitionKeys = heldPartitions.all().map(({ partition }) => partition)
    const partitionsToRead = isClosed ? [] : heldPartitions.size === partitionCount ? [allKey] : partitionKeys
    await Promise.all([...readers.keys()].filter(key => !partitionsToRead.includes(key)).map(stop))
    await Promise.all(partitionsToRead.filter(key => !readers.has(key)).map(start))
  }
  /** Asks the leader of the stream: the server of a consumer may not have the last events yet, and then counts none as pending. */
  const hasNothingBefore = async (key: string, { seen }: ActiveReader, last: number) => {
    const unread = Math.min(...partitionsOf(key).map(({ tracker }) => tracker.unread))
    // The position of an idle partition is behind while all are read together.
    const from = key === allKey ? Math.max(unread, seen + 1) : unread
    const next = await nextMessage(connection.jsm, { stream, subject: subjectFilter(stream, key), from })
    return next === undefined || next.sequence > last
  }
  /** Returns the first sequence that the reader missed, or undefined. */
  const look = async (key: string, active: ActiveReader, { first, last }: StreamState) => {
    const progress = await active.reader.progress().catch(() => undefined)
    if (progress === undefined) return undefined
    const { delivered, pending } = progress
    const covered = Math.max(active.covered, delivered)
    // Events below the positions are only remembered.
    const neededSequence = Math.max(
      covered + 1,
      Math.min(...partitionsOf(key).map(({ tracker }) => tracker.unread)),
    )
    const missed = first > neededSequence ? neededSequence : undefined
    const isCaughtUp = pending === 0 && active.seen >= delivered
    const seenBefore = active.seen
    const isIdle = isCaughtUp && (await hasNothingBefore(key, active, last))
    const idleUntil = key === allKey ? seenBefore : isIdle ? last : 0
    const isBehind = isCaughtUp && !isIdle && active.seen === seenBefore
    // A server that has not recovered the stream sends heartbeats and nothing else; the next reader may get another one.
    if (isBehind && active.behindAt === seenBefore) active.reader.stop()
    active.behindAt = isBehind ? seenBefore : undefined
    active.covered = Math.max(covered, first - 1, idleUntil)
    for (const own of signal.aborted ? [] : partitionsOf(key)) {
      if (own.isClosing) continue
      own.tracker.skipTo(idleUntil + 1)
      own.readNext = Math.max(own.readNext, idleUntil + 1)
    }
    return missed
  }
  return {
    /** Starts and stops readers to match the held partitions. */
    adjust: adjustNext,
    /**
     * Moves the positions of partitions without new events. Returns the partitions that the stream removed events of before they were
     * read, and the first of these sequences.
     */
    async look(state: StreamState) {
      const looks = [...readers].map(async ([key, active]) => ({
        from: await look(key, active, state),
        partitions: partitionsOf(key).length,
      }))
      const missed = (await Promise.all(looks)).flatMap(({ from, partitions }) =>
        from === undefined ? [] : [{ from, partitions }],
      )
      if (missed.length === 0) return undefined
      return {
        from: Math.min(...missed.map(({ from }) => from)),
        partitions: missed.reduce((sum, { partitions }) => sum + partitions, 0),
      }
    },
    /** Stops reading. */
    close(): Promise<unknown> {
      isClosed = true
      return adjustNext()
    },
  }
}
