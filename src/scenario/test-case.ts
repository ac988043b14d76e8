import type { CallerTurn } from '../files/formats/caller-script.ts'
import type { testEnds } from '../files/formats/scenario.ts'
import type { Position } from '../files/text/index.ts'
import type { FieldPath } from '../interface/finding.ts'
import type { ToolReplacement } from '../sandbox/index.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** Location in a test file or a file that it includes. */
export interface SourceLocation {
  /** Display name of the file. */
  readonly file: string
  readonly path: FieldPath
  readonly position: Position | undefined
}

/** A test that is ready to run: includes are expanded and row placeholders are filled. */
export interface TestCase {
  /** Unique in a project and stable across runs: the path below tests/ without `.test.yaml`, and for row 2 of `hours` `hours[2]`. */
  readonly id: string
  /** `name` from the file; defaults to the id. */
  readonly name: string
  /** Display name of the file. */
  readonly file: string
  /** Absolute path of the file. */
  readonly path: string
  readonly location: SourceLocation
  /** Row of `each` that produced this test, in the test file or in a file of rows. */
  readonly row?: SourceLocation | undefined
  /** Absolute path of the project folder; undefined if the test is outside any project. */
  readonly project: string | undefined
  readonly tags: readonly string[]
  /** Reason for skipping; empty without one. */
  readonly skip: string | undefined
  readonly only: boolean
  readonly model: 'none' | 'recorded' | 'live'
  /** Name of a project assistant, or the body of an inline assistant (interface.md 4.1) whose references are marked (`markReference`). */
  readonly assistant: { readonly name: string } | { readonly inline: JsonObject }
  readonly variables: Readonly<Record<string, string>>
  /** assistantOverrides (interface.md 4.1) without the variables. */
  readonly overrides: JsonObject | undefined
  readonly metadata: JsonObject | undefined
  /** Start of the call in milliseconds since the epoch. Defaults to the sandbox's start time. */
  readonly at: number | undefined
  /** Canned tool results by function name, used in place of the tools' servers. */
  readonly tools: Readonly<Record<string, readonly CannedToolResult[]>>
  /** The first turn precedes the caller's first line; every other turn starts with a caller line. */
  readonly turns: readonly TestTurn[]
  /** If set, a model speaks for the caller and `turns` has only the first turn. */
  readonly caller: SimulatedCaller | undefined
  /** Expectations of the whole call. */
  readonly expect: readonly Expectation[]
  /** Number of runs, and how many must pass. */
  readonly repeat: { readonly times: number; readonly pass: number }
}

export interface TestTurn {
  readonly location: SourceLocation
  /** Undefined only for the first turn. */
  readonly caller: CallerLine | undefined
  readonly expect: readonly Expectation[]
}

export interface CallerLine {
  readonly line: string
  readonly turn: CallerTurn
}

/** A canned tool result. Results are used in order and the last one repeats. */
export type CannedToolResult = Exclude<ToolReplacement, { readonly kind: 'simulated' }>

export interface SimulatedCaller {
  readonly persona: string
  readonly goal: string
  /** Facts the caller reveals when asked. */
  readonly knows: JsonObject
  /** Maximum number of caller lines. */
  readonly turns: number
}

export type TextMatcher =
  /** Ignores case and white space. */
  { readonly kind: 'contains'; readonly text: string } | Pattern

/** `/…/i`, matched in linear time (re2js). */
export interface Pattern {
  readonly kind: 'pattern'
  readonly pattern: string
  readonly flags: string
  test(text: string): boolean
}

export type Operator = '<' | '<=' | '>' | '>=' | '='

/** Comparison with a number: words, milliseconds or a score. */
export interface Comparison {
  readonly operator: Operator
  readonly amount: number
}

export type ValueMatcher =
  | { readonly kind: 'any' }
  | { readonly kind: 'equals'; readonly value: unknown }
  | Pattern
  | ({ readonly kind: 'compared' } & Comparison)
  /** Allows additional fields. */
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, ValueMatcher>> }
  /** Requires the same length and order. */
  | { readonly kind: 'list'; readonly items: readonly ValueMatcher[] }

export type Expectation = { readonly location: SourceLocation } & (
  | { readonly kind: 'says' | 'not' | 'heard'; readonly text: TextMatcher }
  | { readonly kind: 'exactly'; readonly text: string }
  /** Requires at least one call with matching arguments. */
  | { readonly kind: 'calls'; readonly tool: string; readonly arguments: ValueMatcher }
  | { readonly kind: 'never-calls'; readonly tool: string }
  /** Requires exactly these calls in this order; an empty list allows no calls. */
  | { readonly kind: 'calls-in-order'; readonly calls: readonly ExpectedCall[] }
  /** Limits the time from the caller's last word to the assistant's first, or to its first that answers. */
  | { readonly kind: 'within' | 'answers'; readonly milliseconds: number }
  | { readonly kind: 'words' | 'silence' | 'duration' | 'interruptions'; readonly comparison: Comparison }
  | { readonly kind: 'ends'; readonly by: CallEndedBy }
  /** Requires that the reply came from the entry with this question. */
  | { readonly kind: 'knows'; readonly question: string }
  | { readonly kind: 'analysis'; readonly matcher: ValueMatcher }
  | { readonly kind: 'judge'; readonly sentence: string }
  | { readonly kind: 'goal'; readonly reached: boolean }
)

export type CallEndedBy = (typeof testEnds)[number]

export interface ExpectedCall {
  readonly tool: string
  readonly arguments: ValueMatcher
}
