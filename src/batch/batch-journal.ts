import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { CallwrightError } from '../lib/error.ts'
import { describeFileError } from '../lib/fs/file-error.ts'
import { lockFile } from '../lib/fs/file-lock.ts'
import { createJournal, readSteps, replaySteps, toLines } from '../lib/fs/journal.ts'
import { openLineFile } from '../lib/fs/line-file.ts'
import { readRequests } from './control.ts'
import { type BatchState, type BatchStep, batchStepSchema, createBatchState } from './state.ts'

/** Returns the folder of a batch's state, in the folder of callwright.yaml or else in the working folder. */
export function batchFolder(folder: string, name: string): string {
  return join(folder, '.callwright', 'batches', name)
}

const journalName = 'journal.ndjson'

/**
 * Reads the calls of a batch so far, with the requests that no run has taken yet.
 * @throws CallwrightError `usage` for a journal that cannot be read
 */
export async function readBatchState(folder: string): Promise<BatchState> {
  const state = await replayJournal(join(folder, journalName))
  for (const { offset, request } of await readRequests(folder, state.offset))
    state.apply({ step: 'requested', at: '', offset, request })
  return state
}

export type BatchJournal = Awaited<ReturnType<typeof openBatchJournal>>

/**
 * Opens the journal of a batch for one process at a time. A step is on the disk when `append` resolves.
 * @throws CallwrightError `conflict` if another process runs the batch, `usage` if the journal cannot be used
 */
export async function openBatchJournal(folder: string, { clock }: { readonly clock: Clock }) {
  const path = join(folder, journalName)
  const cannotLock = (error: unknown) => unusable(path, 'written', error)
  const inUse = (holder: { readonly pid: number } | undefined) =>
    new CallwrightError(
      'conflict',
      `this batch is being run by another callwright${holder === undefined ? '' : ` (pid ${holder.pid})`}`,
      {
        hint: 'wait for it, or end it with Ctrl-C: it pauses the batch',
      },
    )
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(error => {
    throw cannotLock(error)
  })
  const lock = await lockFile(path, { clock, inUse, cannotLock })
  const journal = createJournal(path, { lock })
  const close = async () => {
    journal.close()
    await lock.release()
  }
  try {
    const state = await replayJournal(path)
    // A line that a killed process left incomplete was never acknowledged; the next one must not continue it.
    if (isTorn(path)) {
      const steps = (await readSteps(path, parseStep)) ?? []
      await journal.replace(() => [toLines(steps)])
    }
    return {
      state,
      async append(step: BatchStep) {
        try {
          await journal.append(toLines([step]))
        } catch (error) {
          throw unusable(path, 'written', error)
        }
        state.apply(step)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** One step after the other: a journal is several times larger in memory than its state. */
async function replayJournal(path: string) {
  const state = createBatchState([])
  try {
    await replaySteps(path, value => state.apply(parseStep(value)))
    return state
  } catch (error) {
    throw unusable(path, 'read', error)
  }
}

function parseStep(value: unknown): BatchStep {
  return batchStepSchema.parse(value)
}

/** True for an incomplete last line. */
function isTorn(path: string): boolean {
  const file = openLineFile(path)
  try {
    return file.torn
  } finally {
    file.close()
  }
}

function unusable(path: string, what: 'read' | 'written', cause: unknown): CallwrightError {
  const reason = describeFileError(cause)
  return new CallwrightError('usage', `the journal of the batch, ${path}, cannot be ${what}: ${reason}`, {
    hint: 'nobody is called without it, because somebody could be called twice',
    cause,
  })
}
