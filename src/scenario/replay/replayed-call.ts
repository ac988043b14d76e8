import type { TestCase } from '../test-case.ts'
import type { CallOutline } from './call-outline.ts'
import type { CallDifference } from './compare-outlines.ts'

/** A recorded call that can be replayed. */
export interface PreparedReplay {
  /** Id or name. */
  readonly id: string
  readonly test: TestCase
  readonly recorded: CallOutline
}

/** A call in its three lanes. */
export interface ReplayedCall extends PreparedReplay {
  /** Replay on the deployed files. */
  readonly deployed: CallOutline
  /** Replay on the files of the project. */
  readonly planned: CallOutline
  /** Differences of `planned` from `deployed`, which come from the files. */
  readonly differences: readonly CallDifference[]
  /** Differences of `deployed` from `recorded`, which come from the replay. */
  readonly drift: readonly CallDifference[]
}

/** A call that was replayed without a result to compare. `reason` is one sentence. */
export interface FailedReplay {
  readonly code: 'failed'
  readonly version: ReplayedVersion
  readonly reason: string
}

export type ReplayedVersion = 'deployed' | 'planned'

/** Reason why a call is not replayed. */
export type NotReplayed =
  | { readonly code: 'no-caller-turns' }
  /** Id and name are undefined if no event contains them. */
  | { readonly code: 'unknown-assistant'; readonly id: string | undefined; readonly name: string | undefined }
  /** The assistant's file is new, so there is nothing to compare with. */
  | { readonly code: 'not-deployed'; readonly name: string }
