import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ChatModel, ModelRequest, ModelUse } from '../../model/index.ts'
import type { World } from '../../sandbox/index.ts'
import type { TestCase } from '../test-case.ts'
import type { MissingAnswer, ModelRole, TestResult } from '../verdict.ts'

/** A project whose files passed their check. */
export interface TestProject {
  readonly vocabulary: Vocabulary
  /** Creates everything in a world. @returns ids by address, such as `assistant/front-desk` */
  applyTo(world: Pick<World, 'resources' | 'keepAsBeginning'>): Promise<ReadonlyMap<string, string>>
}

/** What answers in place of models in one run of a test. */
export interface AttemptModels {
  /** For the assistant and the analysis of the call; undefined: by rule. */
  modelFor(wish: ModelRequest, use: ModelUse): ChatModel | undefined
  readonly judge: ChatModel
  readonly caller: ChatModel
  /** As people see the name of the file that recorded answers stand in. */
  readonly cassette: string
  /** The requests so far that have no recorded answer. */
  readonly missing: readonly MissingAnswer[]
  /** The requests so far that a model could not answer: it is unreachable, refuses, or breaks off. `reason`: one sentence. */
  readonly unanswered: readonly { readonly turn: number; readonly of: ModelRole; readonly reason: string }[]
}

/** Opens the models of one run of a test; `turn` says how far the call has come. */
export type OpenModels = (
  test: TestCase,
  attempt: { readonly number: number; turn(): number },
) => Promise<AttemptModels>

export interface RunOptions {
  /** For each folder once, before any test. */
  readonly openProject: (folder: string) => Promise<TestProject>
  readonly openModels: OpenModels
  readonly clock: Clock
  /** Tests that run side by side, at most. */
  readonly concurrency: number
  /** After the first test that does not pass nothing counts that comes behind it. */
  readonly bail: boolean
  /** Ends the run at once: what is done by then is the result. */
  readonly signal: AbortSignal
  /** When a test is done; with `bail` in the order of the tests. */
  onResult?(result: TestResult): void
  /**
   * Called once per test, in test order, never concurrently; returns the part of the result to keep. Tests pause while many results
   * wait for an earlier one.
   */
  collect?(result: TestResult): Promise<TestResult>
}
