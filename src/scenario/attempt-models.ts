import type { ChatModel, ModelRequest, ModelUse } from '../sandbox/index.ts'
import type { TestCase } from './test-case.ts'

/** What answers in place of models in one run of a test. */
export interface AttemptModels {
  /** For the assistant and the analysis of the call; undefined: by rule. */
  modelFor(wish: ModelRequest, use: ModelUse): ChatModel | undefined
  /** Undefined: nothing can be judged. */
  readonly judge: ChatModel | undefined
  /** Of the simulated caller. */
  readonly caller: ChatModel | undefined
  /** As people see the name of the file that recorded answers stand in. */
  readonly cassette: string
  /** The requests so far that have no recorded answer. */
  missing(): readonly MissingAnswer[]
  /** The requests so far that a model could not answer: it is unreachable, refuses, or breaks off. */
  unanswered(): readonly UnansweredRequest[]
}

/** Who asks: the assistant for its reply, the analysis of its call, the judge, the simulated caller. */
export type ModelRole = 'assistant' | 'analysis' | 'judge' | 'caller'

export interface MissingAnswer {
  /** The turn in which it was asked, by the test's own numbers. */
  readonly turn: number
  readonly of: ModelRole
  /** Where it differs from the nearest recorded request; empty where nothing like it is recorded. */
  readonly difference: readonly RequestDifference[]
}

/** A part of what the model sees that is not as it was recorded. */
export interface RequestDifference {
  readonly part: 'prompt' | 'conversation' | 'tools' | 'parameters'
  /** `-` recorded, `+` now, a blank before what both have, `⋮` for what is left out. */
  readonly lines: readonly string[]
}

export interface UnansweredRequest {
  readonly turn: number
  readonly of: ModelRole
  /** One sentence. */
  readonly reason: string
}

/** Opens the models of one run of a test; `turn` says how far the call has come. */
export type OpenModels = (
  test: TestCase,
  attempt: { readonly number: number; turn(): number },
) => Promise<AttemptModels>
