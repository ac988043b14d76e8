import type { BatchState, BatchStep } from './state.ts'

/** The steps of a batch in order, and their state. */
export interface BatchJournal {
  readonly state: BatchState
  /** True if runners on other machines append steps as well. */
  readonly isShared: boolean
  /** Changes with each step that may forbid a call. */
  readonly version: number
  /** Milliseconds that the clock of this machine is ahead of that of the journal. */
  readonly clockAheadMs: number
  /**
   * Resolves once the step is durable and applied to the state; with false if a step that may forbid a call came after `version`, and
   * this one is not in the journal. Without a version it is appended in any case.
   */
  append(step: BatchStep, version?: number): Promise<boolean>
  /** Calls back after each further step was applied. */
  follow(onStep: (step: BatchStep) => void): void
  close(): Promise<void>
}
