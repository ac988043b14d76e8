import type { FailedPart, ToolResult } from '../files/formats/call-observation.ts'
import type { StoredCall } from '../files/formats/control-api.ts'
import type { FieldPath } from '../interface/finding.ts'
import type { KnowledgeSearch } from '../sandbox/index.ts'
import type {
  CallEndedBy,
  CallerLine,
  Comparison,
  ExpectedCall,
  SourceLocation,
  TestCase,
  TextMatcher,
  ValueMatcher,
} from './test-case.ts'

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

export interface UnansweredRequest {
  /** Turn index in the test. */
  readonly turn: number
  readonly role: ModelRole
}

/** A model request that failed because the model is unreachable, refuses or breaks off. */
export interface FailedRequest extends UnansweredRequest {
  /** One sentence. */
  readonly reason: string
}

/** A model request without a recorded response. */
export interface MissingResponse extends UnansweredRequest {
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
  'not-said': WithMessages & { readonly text: TextMatcher }
  'not-heard': WithMessages & { readonly text: TextMatcher }
  'said-unwanted': WithMessages & { readonly text: TextMatcher }
  'not-exactly': WithMessages & { readonly text: string }
  'not-called': WithCalls & ExpectedCall
  /** Reports the call with the fewest differences. */
  'wrong-arguments': WithCalls & ExpectedCall & WithDifference
  'called-unwanted': WithCalls & { readonly tool: string }
  'wrong-order': WithCalls & { readonly calls: readonly ExpectedCall[] }
  'too-late': {
    readonly of: 'within' | 'answers'
    readonly milliseconds: number
    /** Undefined if the assistant said nothing, or nothing that answers. */
    readonly actual: number | undefined
  }
  'wrong-number': {
    readonly of: 'words' | 'silence' | 'duration' | 'interruptions'
    readonly comparison: Comparison
    readonly actual: number
  }
  'wrong-end': { readonly by: CallEndedBy; readonly actual: string | undefined }
  'not-known': { readonly question: string; readonly used: readonly string[] }
  'wrong-analysis': WithDifference & { readonly matcher: ValueMatcher }
  'judged-no': { readonly sentence: string; readonly reason: string }
  'wrong-goal': { readonly reached: boolean; readonly reason: string }
  'not-reached': { readonly endedBy: string | undefined }
  'not-recorded': {
    readonly role: ModelRole
    readonly difference: readonly RequestDifference[]
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

type WithMessages = { readonly messages: readonly SpokenMessage[] }
type WithCalls = { readonly called: readonly ObservedTool[] }
type WithDifference = { readonly differs: FieldPath; readonly actual: unknown }

export type FailureCode = keyof FailureDetails

export type UnlocatedFailure = {
  readonly [Code in FailureCode]: { readonly code: Code; readonly details: FailureDetails[Code] }
}[FailureCode]

export interface FailureLocation {
  readonly location: SourceLocation
  /** Turn index, or undefined for the whole call. */
  readonly turn: number | undefined
}

export type Failure = UnlocatedFailure & FailureLocation

/** An expectation that could not be evaluated: neither passed nor failed. */
export interface Undecided extends FailureLocation {
  readonly reason: string
}

/** Passed if both are empty. */
export interface CheckResult {
  readonly failures: readonly Failure[]
  readonly undecided: readonly Undecided[]
}

/** One run of a test. */
export interface Attempt extends CheckResult {
  readonly call: ObservedCall
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
