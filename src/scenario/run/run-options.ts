import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { Clock } from '../../lib/clock.ts'
import type { World } from '../../sandbox/index.ts'
import type { ChatModel, ModelRequest, ModelUse } from '../../sandbox/model/index.ts'
import type { TestCase } from '../test-case.ts'
import type { FailedRequest, MissingResponse, TestResult } from '../verdict.ts'

/** A valid project. */
export interface TestProject {
  readonly vocabulary: Vocabulary
  readonly serviceVariables?: readonly string[] | undefined
  /** Creates all resources in a world. @returns ids by address, such as `assistant/front-desk` */
  applyTo(world: World): Promise<ReadonlyMap<string, string>>
}

export interface AttemptModels {
  /** Returns the model of the assistant or the analysis; undefined to use the sandbox's rules. */
  modelFor(request: ModelRequest, use: ModelUse): ChatModel | undefined
  readonly judge: ChatModel
  readonly caller: ChatModel
  /** Display name of the cassette. */
  readonly cassette: string
  /** Requests so far without a recorded response. */
  readonly missingResponses: readonly MissingResponse[]
  readonly failedRequests: readonly FailedRequest[]
}

export interface RunningAttempt {
  readonly number: number
  turn(): number
}

/** Opens the models of one attempt. `turn` returns the index of the current turn. */
export type OpenModels = (test: TestCase, attempt: RunningAttempt) => Promise<AttemptModels>

export interface ReplayRunOptions {
  readonly openModels: OpenModels
  readonly clock: Clock
  readonly concurrency: number
  /** Stops the run immediately; finished tests are reported. */
  readonly signal: AbortSignal
}

export interface RunOptions extends ReplayRunOptions {
  /** Called once per folder, before any test runs. */
  readonly openProject: (folder: string) => Promise<TestProject>
  /** Stops at the first test that does not pass; results of later tests are dropped. */
  readonly bail: boolean
  /** Called when a test finishes; with `bail` in test order. */
  onResult?(result: TestResult): void
  /** Called once per test, in order and never concurrently; returns the result to keep. Tests pause while too many results wait. */
  collect?(result: TestResult): Promise<TestResult>
}
