import * as z from 'zod/mini'
import type { ReceivedDelivery } from '../events/conversation/index.ts'
import { createDeferred } from '../lib/queue.ts'
import type { Bucket } from './bucket.ts'
import {
  createPositionTracker,
  type PositionTracker,
  type ReaderPosition,
  readerPositionSchema,
} from './position.ts'
import { partitions } from './subjects.ts'

/** An entry of the bucket of positions, `<name>.<partition>`. */
export const positionEntrySchema = z.extend(readerPositionSchema, {
  version: z.literal(1),
  /** When the stream was created: the sequences of another one mean nothing. */
  stream: z.string(),
  /** Member that reads the partition; null for nobody. Only its owner changes an entry, and a claim changes the owner. */
  owner: z.nullable(z.string()),
})

type PositionEntry = z.infer<typeof positionEntrySchema>

export interface StoredEntry {
  readonly entry: PositionEntry | undefined
  /** 0 if there is none. */
  readonly revision: number
}

/** A partition that this process reads. */
export interface HeldPartition {
  readonly partition: string
  readonly tracker: PositionTracker
  /** First sequence that this process has not read: below the position, events are read to remember their messages. */
  readNext: number
  /** Subjects of the events that are not done, by sequence. */
  readonly unfinished: Map<number, string>
  /** Subjects of calls with events that this process had taken before it lost the partition, and did not finish. */
  readonly abandoned: Set<string>
  /** Events of calls, by subject, that an earlier process has handled and that are not remembered yet. */
  readonly history: Map<string, ReceivedDelivery[]>
  historyBytes: number
  /** Bytes of the events that are not done. */
  bytes: number
  /** Nothing more is taken. */
  isClosing: boolean
  /** Another process may have it. */
  isLost: boolean
}

interface ClaimOptions {
  readonly position: ReaderPosition
  /** First sequence to remember, if it is before the position. */
  readonly readFrom: number
  /** When the stream was created. */
  readonly stream: string
  /** Revision of the entry; 0 if there is none. */
  readonly revision: number
}

export type HeldPartitions = ReturnType<typeof createHeldPartitions>

/** The partitions of one process, over any number of connections, and their entries in the bucket. */
export function createHeldPartitions({ name, member }: { readonly name: string; readonly member: string }) {
  const heldPartitions = new Map<
    string,
    HeldPartition & { stream: string; revision: number; saved: string }
  >()
  const abandoned = new Map<string, Set<string>>()
  const keyOf = (partition: string) => `${name}.${partition}`
  let isValid = () => false
  let isClosed = false
  let confirmed = createDeferred()

  const lose = (partition: string) => {
    const lost = heldPartitions.get(partition)
    if (lost === undefined) return
    lost.isLost = true
    heldPartitions.delete(partition)
    abandoned.set(partition, new Set([...lost.abandoned, ...lost.unfinished.values()]))
  }
  const wake = () => {
    confirmed.resolve()
    confirmed = createDeferred()
  }
  const untilKnown = async (own: HeldPartition) => {
    while (!own.isLost && !isValid() && !isClosed) await confirmed.promise
    return own.isLost || !isValid()
  }
  const read = async (bucket: Bucket, partition: string): Promise<StoredEntry> => {
    const storedEntry = await bucket.get(keyOf(partition))
    const { data } = positionEntrySchema.safeParse(storedEntry?.value)
    return { entry: data, revision: storedEntry?.revision ?? 0 }
  }
  const save = async (bucket: Bucket, partition: string, owner: string | null) => {
    const own = heldPartitions.get(partition)
    if (own === undefined) return
    const position = own.tracker.position()
    const saved = JSON.stringify([position, owner])
    if (saved === own.saved) return
    const { stream } = own
    const entry: PositionEntry = { version: 1, stream, owner, ...position }
    const revision = await bucket.write(keyOf(partition), entry, own.revision)
    if (revision === undefined || owner === null) return lose(partition)
    own.revision = revision
    own.saved = saved
  }
  return {
    get: (partition: string): HeldPartition | undefined => heldPartitions.get(partition),
    /** Notes that the held partitions are those that belong to this process, as long as its lease is valid. */
    confirm(isLeaseValid: () => boolean) {
      isValid = isLeaseValid
      wake()
    },
    /** True if another process has the partition. Without a valid lease, a promise that waits for one or for `close`. */
    isLost: (own: HeldPartition): boolean | Promise<boolean> =>
      own.isLost || (isValid() ? false : untilKnown(own)),
    /** From now on, partitions without a valid lease are lost. */
    close() {
      isClosed = true
      wake()
    },
    all: (): readonly HeldPartition[] => [...heldPartitions.values()],
    get size() {
      return heldPartitions.size
    },
    /** Returns the entries of all partitions. */
    async readAll(bucket: Bucket): Promise<ReadonlyMap<string, StoredEntry>> {
      const read32 = partitions.map(async partition => [partition, await read(bucket, partition)] as const)
      return new Map(await Promise.all(read32))
    },
    /** Becomes the owner of a partition that nobody reads. Returns false if another process was faster. */
    async claim(
      bucket: Bucket,
      partition: string,
      { position, readFrom, stream, revision }: ClaimOptions,
    ): Promise<boolean> {
      const entry: PositionEntry = { version: 1, stream, owner: member, ...position }
      const newRevision = await bucket.write(keyOf(partition), entry, revision)
      if (newRevision === undefined) return false
      heldPartitions.set(partition, {
        ...{ partition, stream, revision: newRevision, saved: JSON.stringify([position, member]) },
        tracker: createPositionTracker(position),
        readNext: Math.min(Math.max(readFrom, position.start), position.next),
        unfinished: new Map(),
        abandoned: abandoned.get(partition) ?? new Set(),
        ...{ history: new Map(), historyBytes: 0, bytes: 0, isClosing: false, isLost: false },
      })
      abandoned.delete(partition)
      return true
    },
    /** Checks over a new connection which partitions still belong to this process, and loses the others. */
    async verify(bucket: Bucket, isReadable: (stream: string, unread: number) => boolean): Promise<void> {
      const checks = [...heldPartitions.values()].map(async own => {
        const { entry, revision } = await read(bucket, own.partition)
        // A write may have arrived although it got no response.
        own.revision = revision
        // The connection may have ended while it was released.
        own.isClosing = false
        if (entry?.owner !== member || !isReadable(own.stream, own.tracker.unread)) lose(own.partition)
      })
      await Promise.all(checks)
    },
    /** Saves what changed. A partition whose entry another process has changed is lost. */
    async commit(bucket: Bucket): Promise<void> {
      await Promise.all([...heldPartitions.keys()].map(partition => save(bucket, partition, member)))
    },
    /** Saves the position of a partition, and leaves it to others. */
    release: (bucket: Bucket, partition: string) => save(bucket, partition, null),
  }
}
