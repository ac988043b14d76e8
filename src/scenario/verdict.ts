import type { FieldPath } from '../interface/finding.ts'
import type { MissingAnswer } from './attempt-models.ts'
import type { ObservedCall, ObservedTool, SaidMessage } from './observed-call.ts'
import type { Expectation, Place, TestCase } from './test-case.ts'

/** What can be wrong with a call, by code, each with its details; the words stand in src/cli/messages/. */
export type FailureDetails = {
  'not-said': Pick<Of<'says'>, 'text'> & Said
  'not-heard': Pick<Of<'heard'>, 'text'> & Said
  'said-unwanted': Pick<Of<'not'>, 'text'> & Said
  'not-exactly': Pick<Of<'exactly'>, 'text'> & Said
  'not-called': Pick<Of<'calls'>, 'tool' | 'arguments'> & Called
  /** The nearest call, and where its arguments differ. */
  'wrong-arguments': Pick<Of<'calls'>, 'tool' | 'arguments'> & {
    readonly differs: FieldPath
    readonly actual: unknown
  } & Called
  'called-unwanted': Pick<Of<'never-calls'>, 'tool'> & Called
  'wrong-order': Pick<Of<'calls-in-order'>, 'calls'> & Called
  /** Undefined: the assistant said nothing. */
  'too-late': Pick<Of<'within'>, 'milliseconds'> & { readonly actual: number | undefined }
  'wrong-number': Pick<Of<'words'>, 'comparison'> & {
    readonly of: 'words' | 'silence' | 'duration' | 'interruptions'
    readonly actual: number
  }
  'wrong-end': Pick<Of<'ends'>, 'by'> & { readonly actual: string | undefined }
  'not-known': Pick<Of<'knows'>, 'question'> & { readonly used: readonly string[] }
  'wrong-analysis': { readonly differs: FieldPath; readonly actual: unknown } & Pick<
    Of<'analysis'>,
    'matcher'
  >
  'judged-no': Pick<Of<'judge'>, 'sentence'> & { readonly reason: string }
  'wrong-goal': Pick<Of<'goal'>, 'reached'> & { readonly reason: string }
  /** The call was over before this turn. */
  'not-reached': { readonly endedBy: string | undefined }
  /** A request to a model has no recorded answer. */
  'not-recorded': Pick<MissingAnswer, 'of' | 'difference'> & {
    /** How many of the caller's turns have none: this one, and those that follow from it. */
    readonly missing: number
    /** The turns of the test in which a caller speaks. */
    readonly turns: number
    /** As people see the name. */
    readonly cassette: string
  }
  /** The model failed in this turn. */
  'model-failed': { readonly reason: string }
  /** There was no call, or it broke. */
  'call-failed': { readonly reason: string; readonly hint: string | undefined }
}

type Of<Kind extends Expectation['kind']> = Expectation & { readonly kind: Kind }

interface Said {
  readonly said: readonly SaidMessage[]
}

interface Called {
  readonly called: readonly ObservedTool[]
}

export type FailureCode = keyof FailureDetails

export type Failure = {
  readonly [Code in FailureCode]: {
    readonly code: Code
    readonly details: FailureDetails[Code]
    readonly place: Place
    /** Undefined: of the whole call. */
    readonly turn: number | undefined
  }
}[FailureCode]

/** What could not be judged, and why: neither passed nor failed. */
export interface Undecided {
  readonly place: Place
  readonly turn: number | undefined
  readonly reason: string
}

/** One run of a test. It passed when it has neither failures nor what is undecided. */
export interface Attempt {
  readonly call: ObservedCall
  readonly failures: readonly Failure[]
  readonly undecided: readonly Undecided[]
}

export type TestStatus = 'passed' | 'failed' | 'undecided' | 'skipped'

export interface TestResult {
  readonly test: TestCase
  readonly status: TestStatus
  /** As often as the test was run; none for one that was skipped. */
  readonly attempts: readonly Attempt[]
  /** Milliseconds of the machine's time. */
  readonly durationMs: number
}
