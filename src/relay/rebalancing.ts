import type { JetStreamManager } from '@nats-io/jetstream'
import type { SourceEvent } from '../events/receive/index.ts'
import type { Clock } from '../lib/clock.ts'
import { assignPartitions } from './assignment.ts'
import type { Bucket } from './bucket.ts'
import type { HeldPartitions, StoredEntry } from './held-partitions.ts'
import type { ReaderPosition } from './position.ts'
import { resolvePosition, type StartPoint, type StreamState } from './resolve-position.ts'
import { nextMessage, sequenceAt } from './stream-reader.ts'
import { subjectFilter } from './subjects.ts'

interface RebalancingOptions {
  readonly jsm: JetStreamManager
  readonly stream: string
  /** Id of this process. */
  readonly member: string
  readonly isShared: boolean
  /** True if this process had a session before. */
  readonly isReconnected: boolean
  /** Replaces the positions of the name. Default: continue there, or at the end of the stream for a new name. */
  readonly start: StartPoint | undefined
  /** First sequence after the events that existed when the connection was opened. */
  readonly endOfStream: number
  readonly positions: Bucket
  readonly heldPartitions: HeldPartitions
  readonly lease: { members(): Promise<ReadonlySet<string> | undefined> }
  readonly readers: { adjust(): Promise<unknown> }
  readonly sink: { onEvent(event: SourceEvent): void }
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly signal: AbortSignal
  readState(): Promise<StreamState>
  /** True when nothing more is to be claimed. */
  isClosing(): boolean
  /** Runs in the background; errors end the session. */
  run(work: () => Promise<void>): void
}

/** Time for other tails to connect again, which a dead broker has interrupted too. */
const rejoinMs = 3000
/** Time and number of events before a position that are read again. A call without an event in them is printed from its start. */
const historyMs = 15 * 60_000
const maxHistory = 50_000
/** Owners change only with a member or a claim. If anything else changes them, no partition stays unread for longer. */
const lookAgainMs = 30_000
const releasePollMs = 20
const releaseWithinMs = 10_000

/** Returns a function that claims the partitions that are due to this process, and releases those that are due to others. */
export function createRebalancing(options: RebalancingOptions): () => Promise<void> {
  const { stream, member, isShared, endOfStream, positions, heldPartitions, lease, readers, sink, clock } =
    options
  const { jsm, signal, monotonicMs, readState, run } = options
  const rejoinedAt = monotonicMs() + (options.isReconnected ? rejoinMs : 0)
  let { start } = options
  /** Returns the first sequence whose call may still be in progress, to remember what earlier tails printed of it. */
  const findHistory = async (allPositions: readonly ReaderPosition[], { first }: StreamState) => {
    const usedPositions = allPositions.filter(({ start, next, done }) => start < next || done.length > 0)
    const next = Math.min(...usedPositions.map(position => position.next))
    if (usedPositions.length === 0) return next
    const startSequence = Math.max(
      first,
      next - maxHistory,
      Math.min(...usedPositions.map(({ start }) => start)),
    )
    const message = await nextMessage(jsm, { stream, subject: subjectFilter(stream), from: next })
    const at = message === undefined ? clock.now() : Date.parse(message.delivery.at)
    return Math.max(startSequence, Math.min(next, await sequenceAt(jsm, stream, at - historyMs)))
  }
  const claim = async (partitions: readonly string[], entries: ReadonlyMap<string, StoredEntry>) => {
    const state = await readState()
    const requestedStart =
      start && (start.kind === 'new' ? endOfStream : await sequenceAt(jsm, stream, start.at))
    start = undefined
    // A new partition of a known name starts where the others did.
    const starts = [...entries.values()].flatMap(({ entry }) => entry?.start ?? [])
    const startSequence = requestedStart ?? Math.min(endOfStream, ...starts)
    const claims = partitions.map(partition => {
      const { entry, revision } = entries.get(partition) ?? { entry: undefined, revision: 0 }
      return {
        partition,
        revision,
        ...resolvePosition(requestedStart === undefined ? entry : undefined, startSequence, state),
      }
    })
    const readFrom = await findHistory(
      claims.map(({ position }) => position),
      state,
    )
    await Promise.all(
      claims.map(entry =>
        heldPartitions.claim(positions, entry.partition, { ...entry, readFrom, stream: state.created }),
      ),
    )
    if (claims.some(({ isReplaced }) => isReplaced)) sink.onEvent({ kind: 'stream-replaced', stream })
    const gaps = claims.flatMap(({ gapFrom }) => gapFrom ?? [])
    if (gaps.length > 0)
      sink.onEvent({ kind: 'gap', from: Math.min(...gaps), to: state.first - 1, partitions: gaps.length })
  }
  const release = async (partition: string) => {
    const own = heldPartitions.get(partition)
    if (own === undefined || own.isClosing) return
    own.isClosing = true
    for (let leftMs = releaseWithinMs; own.tracker.inFlight > 0 && leftMs > 0; leftMs -= releasePollMs)
      await clock.sleep(releasePollMs, signal)
    await heldPartitions.release(positions, partition)
    await readers.adjust()
  }
  /** Members and held partitions when all had their share. */
  let settledView = ''
  let readAt = 0
  let reportedCounts = ''
  return async () => {
    const live = await lease.members()
    if (live === undefined || options.isClosing()) return
    const view = () => `${heldPartitions.size} ${[...live].sort()}`
    if (view() === settledView && monotonicMs() - readAt < lookAgainMs) return
    readAt = monotonicMs()
    const entries = await heldPartitions.readAll(positions)
    const isEarly = monotonicMs() < rejoinedAt
    const absent = isEarly ? [...entries.values()].flatMap(({ entry }) => entry?.owner ?? []) : []
    const members = new Set([...live, ...absent])
    const owners = [...entries].map(([partition, { entry }]) => {
      return [
        partition,
        heldPartitions.get(partition) === undefined ? (entry?.owner ?? undefined) : member,
      ] as const
    })
    const plan = assignPartitions(new Map(owners), members, member)
    // An earlier claim may have arrived although it got no response: nobody else claims these.
    const unread = owners.filter(
      ([partition, owner]) => owner === member && heldPartitions.get(partition) === undefined,
    )
    const partitionsToClaim = [...plan.claim, ...unread.map(([partition]) => partition)]
    if (partitionsToClaim.length > 0) await claim(partitionsToClaim, entries)
    for (const partition of plan.release) run(() => release(partition))
    await readers.adjust()
    settledView = plan.isSettled && unread.length === 0 && !isEarly ? view() : ''
    const counts = `${heldPartitions.size} ${live.size}`
    if (isShared && counts !== reportedCounts)
      sink.onEvent({ kind: 'partitions', held: heldPartitions.size, tails: live.size })
    reportedCounts = counts
  }
}
