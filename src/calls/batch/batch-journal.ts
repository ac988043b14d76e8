import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CallyardError, describeFileError } from '../../lib/error.ts'
import { openLocked } from '../../lib/fs/file-lock.ts'
import { openLog, replaySteps, toLines } from '../../lib/fs/log.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { readRequests } from './control.ts'
import type { BatchJournal } from './journal.ts'
import { createJournalIndex, type JournalIndex } from './journal-index.ts'
import { type BatchState, type BatchStep, batchStepSchema, createBatchState } from './state.ts'

/** Returns the folder of a batch's state, in the folder of callyard.yaml or else in the working folder. */
export function batchFolder(folder: string, name: string): string {
  return join(folder, '.callyard', 'batches', name)
}

export function batchJournalPath(folder: string): string {
  return join(folder, 'journal.ndjson')
}

/**
 * Reads the calls of a batch so far, with the requests that no run has taken yet.
 * @throws CallyardError `usage` for a journal that cannot be read
 */
export async function readBatchState(folder: string): Promise<BatchState> {
  const state = createBatchState([])
  await replay(batchJournalPath(folder), step => state.apply(step))
  for (const step of await readRequestSteps(folder, state.offset)) state.apply(step)
  return state
}

/** Returns the requests after an offset of the control file, which no run has taken yet, as steps. */
export async function readRequestSteps(folder: string, from: number): Promise<readonly BatchStep[]> {
  const requests = await readRequests(folder, from)
  return requests.map(({ offset, request }) => ({ step: 'requested', at: '', offset, request }))
}

/** A journal in a file of this machine. */
export interface FileJournal extends BatchJournal {
  /** Offsets of the steps of each person. */
  readonly index: JournalIndex
  /** Bytes. */
  readonly size: number
}

/**
 * Opens the journal of a batch for one process at a time. A step is on the disk when `append` resolves.
 * @throws CallyardError `conflict` if another process runs the batch, `usage` if the journal cannot be used
 */
export async function openBatchJournal(
  folder: string,
  { clock }: { readonly clock: Clock },
): Promise<FileJournal> {
  const path = batchJournalPath(folder)
  const cannotLock = (error: unknown) => unusable(path, 'written', error)
  const inUse = (holder: { readonly pid: number } | undefined) =>
    new CallyardError(
      'conflict',
      `this batch is being run by another callyard${holder === undefined ? '' : ` (pid ${holder.pid})`}`,
      {
        hint: 'wait for it, or end it with Ctrl-C: it pauses the batch',
      },
    )
  await makeFolder(folder, 0o700).catch(error => {
    throw cannotLock(error)
  })
  return openLocked(path, { clock, inUse, cannotLock }, async lock => {
    const { state, index, end } = await replayBatchJournal(path)
    const log = openLog(path, { lock })
    let onStep: (step: BatchStep) => void = () => undefined
    let size = end
    return {
      ...{ state, index, isShared: false, version: 0, clockAheadMs: 0 },
      get size() {
        return size
      },
      async append(step: BatchStep) {
        const line = toLines([step])
        const offset = await log.append(line).catch(error => {
          throw unusable(path, 'written', error)
        })
        state.apply(step)
        index.add(step, offset)
        size = offset + Buffer.byteLength(line)
        onStep(step)
        return true
      },
      follow(follower) {
        onStep = follower
      },
      async close() {
        await log.close()
        await lock.release()
      },
    }
  })
}

/** Replays a journal, with an index of its steps. @throws CallyardError `usage` for a journal that cannot be read */
export async function replayBatchJournal(path: string) {
  const state = createBatchState([])
  const index = createJournalIndex(state)
  const replayed = await replay(path, (step, offset) => {
    state.apply(step)
    index.add(step, offset)
  })
  return { state, index, ...(replayed ?? { end: 0, isTorn: false }) }
}

/** Takes one step after the other: a journal is several times larger in memory than its state. @throws as replayBatchJournal does */
async function replay(path: string, onStep: (step: BatchStep, offset: number) => void) {
  try {
    return await replaySteps(path, (value, offset) => {
      const { data: step } = batchStepSchema.safeParse(value)
      if (step === undefined) throw new Error(`the line at byte ${offset} is not a step of a batch`)
      onStep(step, offset)
    })
  } catch (error) {
    throw unusable(path, 'read', error)
  }
}

/** @throws ZodError for anything but a step */
export function parseStep(value: unknown): BatchStep {
  return batchStepSchema.parse(value)
}

function unusable(path: string, action: 'read' | 'written', cause: unknown): CallyardError {
  const reason = describeFileError(cause)
  return new CallyardError('usage', `the journal of the batch, ${path}, cannot be ${action}: ${reason}`, {
    hint: 'nobody is called without it, because somebody could be called twice',
    cause,
  })
}
