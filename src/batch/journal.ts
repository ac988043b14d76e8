import type { BatchState, BatchStep } from './state.ts'

/** The steps of a batch in order, and their state. */
export interface BatchJournal {
  readonly state: BatchState
  /** Resolves once the step is durable and applied to the state. */
  append(step: BatchStep): Promise<void>
  /** Calls back after each further step was applied. */
  follow(onStep: (step: BatchStep) => void): void
  close(): Promise<void>
}
