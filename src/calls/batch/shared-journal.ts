import { createHash, randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { dropOldest } from '../../lib/drop-oldest.ts'
import { CallyardError } from '../../lib/error.ts'
import { parseJson } from '../../lib/json.ts'
import { createDeferred } from '../../lib/queue.ts'
import type { NewSharedEntry, SharedEntry, SharedLog } from '../../lib/shared-log.ts'
import type { BatchJournal } from './journal.ts'
import { type BatchStep, batchStepSchema, createBatchState } from './state.ts'

interface SharedJournalOptions {
  readonly clock: Clock
  /** Aborted when the run must end: steps that cannot be appended are then given up after a time. */
  readonly signal: AbortSignal
}

const firstPauseMs = 250
const maxPauseMs = 5000
const giveUpMs = 10_000
/** Ids of the latest steps: more than a log stores in the time in which it may recognize repeats. */
const maxIds = 100_000

/**
 * Opens a journal that runners on several machines share. A call is claimed by its `calling` step, which is stored
 * only after all decisions that the runner has seen. The log alone decides: a step that is stored after another decision is ignored by
 * everybody.
 * @throws CallyardError `conflict` for a step that cannot be read, and as the log does
 */
export async function openSharedJournal(
  log: SharedLog,
  { clock, signal }: SharedJournalOptions,
): Promise<BatchJournal> {
  const state = createBatchState([])
  const ids = new Set<string>()
  /** Ids of the steps that are being appended; true once applied. */
  const appending = new Map<string, boolean>()
  const waiting = new Map<object, { readonly sequence: number; resolve(): void }>()
  const failure = createDeferred<never>()
  failure.promise.catch(() => undefined)
  log.failed.catch(failure.reject)
  let onStep: (step: BatchStep) => void = () => undefined
  let version = 0
  let applied = 0
  let clockAheadMs: number | undefined
  let isFailed = false

  const apply = (entry: SharedEntry) => {
    const { sequence, topic, after, id, at } = entry
    const isValid = after === undefined || after === version
    if (topic === 'decisions') version = sequence
    applied = sequence
    if (!isValid || ids.has(id)) return
    const step = parseEntry(entry)
    dropOldest(ids.add(id), maxIds)
    if (appending.has(id)) {
      appending.set(id, true)
      clockAheadMs = clock.now() - at
    }
    state.apply(step)
    onStep(step)
  }
  const applyEntry = (entry: SharedEntry) => {
    if (isFailed) return
    try {
      apply(entry)
    } catch (error) {
      isFailed = true
      failure.reject(error)
    }
    for (const [key, { sequence: awaitedSequence, resolve }] of waiting)
      if (awaitedSequence <= applied) {
        waiting.delete(key)
        resolve()
      }
  }
  const appliedUpTo = async (sequence: number) => {
    if (sequence <= applied) return
    const { promise, resolve } = createDeferred()
    waiting.set(promise, { sequence, resolve })
    await Promise.race([promise, failure.promise])
  }
  const store = async (entry: NewSharedEntry) => {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        return await Promise.race([log.append(entry), failure.promise])
      } catch (error) {
        if (error instanceof CallyardError) throw error
        await Promise.race([clock.sleep(pauseMs), failure.promise])
      }
    }
  }
  /** Rejects some time after the run must end. */
  const givenUp = async (done: AbortSignal): Promise<never> => {
    const { promise, resolve } = createDeferred()
    signal.addEventListener('abort', () => resolve(), { once: true, signal: done })
    if (!signal.aborted) await promise
    await clock.sleep(giveUpMs, done)
    throw new CallyardError('unreachable', 'the shared journal of the batch cannot be reached')
  }
  const append = async (step: BatchStep, after: number | undefined) => {
    const id = idOf(step)
    if (ids.has(id)) return true
    const topic = knowledge.has(step.step) ? 'knowledge' : 'decisions'
    appending.set(id, false)
    try {
      const { sequence } = await store({ topic, id, text: JSON.stringify(step), after })
      await appliedUpTo(sequence)
      return appending.get(id) === true
    } finally {
      appending.delete(id)
    }
  }
  await Promise.race([log.follow(applyEntry), failure.promise])
  return {
    state,
    isShared: true,
    get version() {
      return version
    },
    get clockAheadMs() {
      return clockAheadMs ?? log.clockAheadMs
    },
    async append(step, after) {
      const done = new AbortController()
      try {
        return await Promise.race([append(step, after), givenUp(done.signal)])
      } finally {
        done.abort()
      }
    },
    follow(follower) {
      onStep = follower
    },
    close: log.close,
  }
}

/** Steps that never forbid a call: they are stored in any order. */
const knowledge: ReadonlySet<BatchStep['step']> = new Set(['placed', 'failed', 'ended'])

/** Runners that learn the same store it once; the same request of a person may come twice. */
function idOf(step: BatchStep): string {
  if (step.step === 'calling') return step.attempt
  if (!knowledge.has(step.step) && step.step !== 'opted-out') return randomUUID()
  return createHash('sha256')
    .update(JSON.stringify({ ...step, at: null }))
    .digest('base64url')
}

function parseEntry({ text, sequence }: SharedEntry): BatchStep {
  const parsed = batchStepSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new CallyardError('conflict', `entry ${sequence} of the shared journal cannot be read`, {
    hint: 'it was written by a newer callyard; upgrade this one. Nobody is called without the entry',
  })
}
