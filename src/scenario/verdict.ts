import type { FailedPart, ToolResult } from '../files/formats/call-observation.ts'
import type { StoredCall } from '../files/formats/control-api.ts'
import type { FieldPath } from '../interface/finding.ts'
import type { KnowledgeSearch } from '../sandbox/index.ts'
import type { CallerLine, Expectation, SourceLocation, TestCase } from './test-case.ts'

/** Observed behavior of a test's call. Times are milliseconds since the epoch, on the call's clock. */
export interface ObservedCall {
  /** Final record, with messages, toolCalls, failures, analysis and callEndTriggerBy. */
  readonly record: StoredCall
  /** Turns that were reached, numbered as in the test: the first one precedes the caller's first line. */
  readonly turns: readonly ObservedTurn[]
  readonly startedAt: number
  readonly endedAt: number
}

export interface ObservedTurn {
  /** Undefined for the first turn. */
  readonly caller: (CallerLine & { readonly from: number; readonly until: number }) | undefined
  readonly messages: readonly SpokenMessage[]
  readonly tools: readonly ObservedTool[]
  readonly searches: readonly KnowledgeSearch[]
  readonly failures: readonly { readonly part: FailedPart; readonly message: string }[]
}

export interface SpokenMessage {
  /** Full text, including any part that was cut off. */
  readonly text: string
  /** Part that was spoken before an interruption. */
  readonly heard: string
  readonly from: number
  readonly until: number
  /** True if this is the sandbox's "no information" line. */
  readonly fallback: boolean
}

export interface ObservedTool extends ToolResult {
  readonly from: number
  /** Undefined if the call ended before the tool did. */
  readonly until: number | undefined
  /** When an asynchronous tool let the assistant go on; missing for others, whose result does. */
  readonly acceptedAt?: number | undefined
}

/** Returns the messages and tool calls of a turn, sorted by start. */
export function sortByStart({ messages, tools }: ObservedTurn): (SpokenMessage | ObservedTool)[] {
  return [...messages, ...tools].sort((one, other) => one.from - other.from)
}

export const modelRoles = ['assistant', 'analysis', 'judge', 'caller'] as const
export type ModelRole = (typeof modelRoles)[number]

/** A model request without a recorded response. */
export interface MissingResponse {
  /** Turn index in the test. */
  readonly turn: number
  readonly role: ModelRole
  /** Differences from the most similar recorded request; empty if none is similar. */
  readonly difference: readonly RequestDifference[]
}

export interface RequestDifference {
  readonly part: 'prompt' | 'conversation' | 'tools' | 'parameters'
  /** Diff lines: `-` recorded, `+` now, a space for both, `⋮` for omitted lines. */
  readonly lines: readonly string[]
}

/** Failure codes with their details. src/cli/ formats them. */
export type FailureDetails = {
  'not-said': Pick<ExpectationOf<'says'>, 'text'> & WithMessages
  'not-heard': Pick<ExpectationOf<'heard'>, 'text'> & WithMessages
  'said-unwanted': Pick<ExpectationOf<'not'>, 'text'> & WithMessages
  'not-exactly': Pick<ExpectationOf<'exactly'>, 'text'> & WithMessages
  'not-called': Pick<ExpectationOf<'calls'>, 'tool' | 'arguments'> & WithCalls
  /** Reports the call with the fewest differences. */
  'wrong-arguments': Pick<ExpectationOf<'calls'>, 'tool' | 'arguments'> & WithDifference & WithCalls
  'called-unwanted': Pick<ExpectationOf<'never-calls'>, 'tool'> & WithCalls
  'wrong-order': Pick<ExpectationOf<'calls-in-order'>, 'calls'> & WithCalls
  /** `actual` is undefined if the assistant said nothing, or nothing that answers. */
  'too-late': Pick<ExpectationOf<'within'>, 'milliseconds'> & {
    readonly of: 'within' | 'answers'
    readonly actual: number | undefined
  }
  'wrong-number': Pick<ExpectationOf<'words'>, 'comparison'> & {
    readonly of: 'words' | 'silence' | 'duration' | 'interruptions'
    readonly actual: number
  }
  'wrong-end': Pick<ExpectationOf<'ends'>, 'by'> & { readonly actual: string | undefined }
  'not-known': Pick<ExpectationOf<'knows'>, 'question'> & { readonly used: readonly string[] }
  'wrong-analysis': Pick<ExpectationOf<'analysis'>, 'matcher'> & WithDifference
  'judged-no': Pick<ExpectationOf<'judge'>, 'sentence'> & { readonly reason: string }
  'wrong-goal': Pick<ExpectationOf<'goal'>, 'reached'> & { readonly reason: string }
  'not-reached': { readonly endedBy: string | undefined }
  'not-recorded': Pick<MissingResponse, 'role' | 'difference'> & {
    /** Caller turns without a recorded response: this one and all that depend on it. */
    readonly missing: number
    /** Caller turns of the test. */
    readonly turns: number
    /** Display name of the file. */
    readonly cassette: string
  }
  'model-failed': { readonly reason: string }
  /** The call could not be placed or crashed. */
  'call-failed': { readonly reason: string; readonly hint: string | undefined }
}

type ExpectationOf<Kind extends Expectation['kind']> = Expectation & { readonly kind: Kind }

type WithMessages = Pick<ObservedTurn, 'messages'>
type WithCalls = { readonly called: readonly ObservedTool[] }
type WithDifference = { readonly differs: FieldPath; readonly actual: unknown }

export type FailureCode = keyof FailureDetails

export type UnlocatedFailure = {
  readonly [Code in FailureCode]: { readonly code: Code; readonly details: FailureDetails[Code] }
}[FailureCode]

export type Failure = UnlocatedFailure & {
  readonly location: SourceLocation
  /** Turn index, or undefined for the whole call. */
  readonly turn: number | undefined
}

/** An expectation that could not be evaluated: neither passed nor failed. */
export interface Undecided extends Pick<Failure, 'location' | 'turn'> {
  readonly reason: string
}

/** One run of a test. Passed if `failures` and `undecided` are both empty. */
export interface Attempt {
  readonly call: ObservedCall
  readonly failures: readonly Failure[]
  readonly undecided: readonly Undecided[]
}

export const testStatuses = ['passed', 'failed', 'undecided', 'skipped'] as const
export type TestStatus = (typeof testStatuses)[number]

export interface TestResult {
  readonly test: TestCase
  readonly status: TestStatus
  /** Empty for a skipped test. */
  readonly attempts: readonly Attempt[]
  /** Wall-clock time. */
  readonly durationMs: number
}
