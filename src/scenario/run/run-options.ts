import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { Clock } from '../../lib/clock.ts'
import type { CallerTurn, ChatModel, World } from '../../sandbox/index.ts'
import type { OpenModels } from '../attempt-models.ts'
import type { ObservedCall, SaidMessage } from '../observed-call.ts'
import type { SimulatedCaller, TestCase } from '../test-case.ts'
import type { TestResult } from '../verdict.ts'

/** A project whose files passed their check. */
export interface TestProject {
  readonly vocabulary: Vocabulary
  /** Creates everything in a world. @returns ids by address, such as `assistant/front-desk` */
  applyTo(world: Pick<World, 'resources' | 'keepAsBeginning'>): Promise<ReadonlyMap<string, string>>
}

/** What a model is asked about a call. `turn` undefined: of the whole call. */
export interface JudgeQuestion {
  readonly sentence: string
  readonly call: ObservedCall
  readonly turn: number | undefined
}

export type Judge = (
  model: ChatModel,
  question: JudgeQuestion,
  signal: AbortSignal,
) => Promise<{ readonly verdict: 'yes' | 'no' | 'undecided'; readonly reason: string }>

/** What the caller does next, having heard this since the caller's last turn. A turn `hang-up` is the last one. */
export type NextTurn = (heard: readonly SaidMessage[], signal: AbortSignal) => Promise<CallerTurn>

export interface RunOptions {
  /** For each folder once, before any test. */
  readonly openProject: (folder: string) => Promise<TestProject>
  readonly openModels: OpenModels
  /** Undefined: nothing can be judged. */
  readonly judge?: Judge | undefined
  /** Undefined: no test has a simulated caller. */
  readonly createCaller?: ((model: ChatModel, caller: SimulatedCaller) => NextTurn) | undefined
  /** Of the machine. */
  readonly clock: Clock
  /** Tests that run side by side, at most. */
  readonly jobs: number
  /** After the first test that does not pass nothing counts that comes behind it. */
  readonly bail: boolean
  /** Ends the run at once: what is done by then is the result. */
  readonly signal: AbortSignal
  onStart?(test: TestCase): void
  /** When a test is done; with `bail` in the order of the tests. */
  onResult?(result: TestResult): void
}
