import type { ToolResult } from '../interface/call-observation.ts'
import type { StoredCall } from '../interface/control-api.ts'
import type { FieldPath } from '../interface/finding.ts'
import type { KnowledgeSearch } from '../sandbox/index.ts'
import type { CallerLine, Expectation, Place, TestCase } from './test-case.ts'

/** What happened in the call of a test. Times are milliseconds since the epoch, of the call's clock. */
export interface ObservedCall {
  /** As it was at its end: with messages, toolCalls, failures, analysis and callEndTriggerBy. */
  readonly record: StoredCall
  /** As many as were reached, by the test's own numbers: the first is before the caller's first line. */
  readonly turns: readonly ObservedTurn[]
  readonly startedAt: number
  readonly endedAt: number
}

export interface ObservedTurn {
  /** What the caller did; undefined for the first turn. */
  readonly caller: (CallerLine & { readonly from: number; readonly until: number }) | undefined
  readonly said: readonly SaidMessage[]
  readonly tools: readonly ObservedTool[]
  readonly searches: readonly KnowledgeSearch[]
  readonly failures: readonly { readonly part: 'model' | 'tool' | 'analysis'; readonly message: string }[]
}

export interface SaidMessage {
  /** All that the assistant was about to say. */
  readonly text: string
  /** What was not cut off. */
  readonly heard: string
  readonly from: number
  readonly until: number
  /** The sandbox says that it has no answer. */
  readonly fallback: boolean
}

export interface ObservedTool extends ToolResult {
  readonly from: number
  /** Undefined: the call ended before it did. */
  readonly until: number | undefined
}

/** What the assistant said and did in a turn, in the order in which it began. */
export function inOrder({ said, tools }: ObservedTurn): (SaidMessage | ObservedTool)[] {
  return [...said, ...tools].sort((one, other) => one.from - other.from)
}

/** Who asks a model: the assistant for its reply, the analysis of its call, the judge, the simulated caller. */
export type ModelRole = 'assistant' | 'analysis' | 'judge' | 'caller'

/** A request to a model that has no recorded answer. */
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

/** What can be wrong with a call, by code, each with its details; the words stand in src/messages/. */
export type FailureDetails = {
  'not-said': Pick<Of<'says'>, 'text'> & Said
  'not-heard': Pick<Of<'heard'>, 'text'> & Said
  'said-unwanted': Pick<Of<'not'>, 'text'> & Said
  'not-exactly': Pick<Of<'exactly'>, 'text'> & Said
  'not-called': Pick<Of<'calls'>, 'tool' | 'arguments'> & Called
  /** The nearest call, and where its arguments differ. */
  'wrong-arguments': Pick<Of<'calls'>, 'tool' | 'arguments'> & Differs & Called
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
  'wrong-analysis': Pick<Of<'analysis'>, 'matcher'> & Differs
  'judged-no': Pick<Of<'judge'>, 'sentence'> & { readonly reason: string }
  'wrong-goal': Pick<Of<'goal'>, 'reached'> & { readonly reason: string }
  /** The call was over before this turn. */
  'not-reached': { readonly endedBy: string | undefined }
  'not-recorded': Pick<MissingAnswer, 'of' | 'difference'> & {
    /** How many of the caller's turns have none: this one, and those that follow from it. */
    readonly missing: number
    /** The turns of the test in which a caller speaks. */
    readonly turns: number
    /** As people see the name. */
    readonly cassette: string
  }
  'model-failed': { readonly reason: string }
  /** There was no call, or it broke. */
  'call-failed': { readonly reason: string; readonly hint: string | undefined }
}

type Of<Kind extends Expectation['kind']> = Expectation & { readonly kind: Kind }

type Said = Pick<ObservedTurn, 'said'>
type Called = { readonly called: readonly ObservedTool[] }
type Differs = { readonly differs: FieldPath; readonly actual: unknown }

export type FailureCode = keyof FailureDetails

/** What is wrong, wherever it was expected. */
export type Wrong = {
  readonly [Code in FailureCode]: { readonly code: Code; readonly details: FailureDetails[Code] }
}[FailureCode]

export type Failure = Wrong & {
  readonly place: Place
  /** Undefined: of the whole call. */
  readonly turn: number | undefined
}

/** What could not be judged, and why: neither passed nor failed. */
export interface Undecided extends Pick<Failure, 'place' | 'turn'> {
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
