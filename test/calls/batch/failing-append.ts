import type { BatchJournal } from '../../../src/calls/batch/index.ts'

/** Lines are counted from 1. */
export interface JournalFailure {
  /** The process is killed at this line: it and all later appends fail. */
  readonly killAt?: number | undefined
  /** The line of `killAt` is still written. */
  readonly isAfter?: boolean
  /** The disk is full for this line only. */
  readonly failAt?: number | undefined
}

/** An `append` of `journal` that fails as `failure` says. */
export function failingAppend(journal: BatchJournal, failure: JournalFailure): BatchJournal['append'] {
  const { killAt = Number.POSITIVE_INFINITY, isAfter = false, failAt } = failure
  const { append } = journal
  let lines = 0
  return async step => {
    lines += 1
    if (lines === failAt) throw new Error('no space left on device')
    if (lines > killAt || (lines === killAt && !isAfter)) throw new Error('killed')
    await append(step)
    if (lines === killAt) throw new Error('killed')
    return true
  }
}
