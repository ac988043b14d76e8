import type { ChatModel, ModelRequest } from '../sandbox/index.ts'
import type { TestCase } from './test-case.ts'

/** What answers in place of models in one run of a test. */
export interface AttemptModels {
  /** For the assistant and the analysis of the call; undefined: by rule. */
  modelFor(wish: ModelRequest): ChatModel | undefined
  /** Undefined: nothing can be judged. */
  readonly judge: ChatModel | undefined
  /** Of the simulated caller. */
  readonly caller: ChatModel | undefined
  /** The requests so far that have no recorded answer. */
  missing(): readonly MissingAnswer[]
}

export interface MissingAnswer {
  /** The turn in which it was asked, by the test's own numbers. */
  readonly turn: number
  readonly of: 'assistant' | 'judge' | 'caller'
  /** Where it differs from the nearest recorded request: one line each. */
  readonly difference: readonly string[]
}

/** Opens the models of one run of a test; `turn` says how far the call has come. */
export type OpenModels = (
  test: TestCase,
  attempt: { readonly number: number; turn(): number },
) => Promise<AttemptModels>
