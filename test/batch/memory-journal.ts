import type { BatchJournal } from '../../src/batch/index.ts'
import { type BatchStep, createBatchState } from '../../src/batch/state.ts'

/** A journal in memory; `write` takes each step before it is applied. */
export function memoryJournal(write: (step: BatchStep) => void = () => undefined): BatchJournal {
  const state = createBatchState([])
  let onStep: (step: BatchStep) => void = () => undefined
  return {
    ...{ state, isShared: false, version: 0, clockAheadMs: 0 },
    async append(step) {
      write(step)
      state.apply(step)
      onStep(step)
      return true
    },
    follow(follower) {
      onStep = follower
    },
    close: async () => undefined,
  }
}
