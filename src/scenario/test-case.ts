import type { CallerTurn } from '../interface/caller-script.ts'
import type { FieldPath } from '../interface/finding.ts'
import type { ToolAnswer } from '../sandbox/index.ts'
import type { Position } from '../source/index.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** Where something of a test stands: in its own file, or in one that it includes. */
export interface Place {
  /** As people see the name. */
  readonly file: string
  readonly path: FieldPath
  readonly position: Position | undefined
}

/** One test, ready to run: its includes are expanded, and the columns of its row are filled in. */
export interface TestCase {
  /** Distinct in a project, and the same in each run: `hours`, of a row `hours[2]`; the path below tests/ without `.test.yaml`. */
  readonly id: string
  /** What people call it: `name` of the file, else the id. */
  readonly name: string
  /** As people see the name. */
  readonly file: string
  /** Of the file, absolute. */
  readonly path: string
  readonly place: Place
  /** Row of `each` that produced this test, in the test file or in a file of rows. */
  readonly row?: Place | undefined
  /** The project's folder, absolute; undefined: the test is in none. */
  readonly project: string | undefined
  readonly tags: readonly string[]
  /** Why it is not run; empty where the file does not say. */
  readonly skip: string | undefined
  /** It alone is to run, with others that say so. */
  readonly only: boolean
  readonly model: 'none' | 'recorded' | 'live'
  /** `front-desk` of the project, or the body of an inline assistant (interface.md 4.1): its `${tool:name}` are unresolved. */
  readonly assistant: { readonly name: string } | { readonly inline: JsonObject }
  readonly variables: Readonly<Record<string, string>>
  /** assistantOverrides of interface.md 4.1, without the variables. */
  readonly overrides: JsonObject | undefined
  readonly metadata: JsonObject | undefined
  /** When the call is placed: milliseconds since the epoch; undefined: where every sandbox begins that does not wait. */
  readonly at: number | undefined
  /** In place of the servers of tools, by the names of their functions, as in all that is expected. */
  readonly tools: Readonly<Record<string, readonly TestToolAnswer[]>>
  /** The first is what is said before the caller's first line; each other one begins with a line of the caller. */
  readonly turns: readonly TestTurn[]
  /** A model speaks for the caller; then there is only the first of `turns`. */
  readonly caller: SimulatedCaller | undefined
  /** Of the whole call. */
  readonly expect: readonly Expectation[]
  /** How often it is run, and how often it must pass. */
  readonly repeat: { readonly times: number; readonly pass: number }
}

export interface TestTurn {
  readonly place: Place
  /** Undefined for the first turn alone. */
  readonly caller: CallerLine | undefined
  readonly expect: readonly Expectation[]
}

/** What the caller does, and how the caller's grammar has it. */
export interface CallerLine {
  readonly line: string
  readonly turn: CallerTurn
}

/** What a tool answers in a test: one after the other, the last one again and again. */
export type TestToolAnswer = Exclude<ToolAnswer, { readonly kind: 'simulated' }>

export interface SimulatedCaller {
  readonly persona: string
  readonly goal: string
  /** What the caller can say when asked for it. */
  readonly knows: JsonObject
  /** Lines at most. */
  readonly turns: number
}

export type TextMatcher =
  /** Case and white space do not count. */
  { readonly kind: 'contains'; readonly text: string } | Pattern

/** `/…/i`, of linear time (re2js). */
export interface Pattern {
  readonly kind: 'pattern'
  readonly pattern: string
  readonly flags: string
  test(text: string): boolean
}

export type Operator = '<' | '<=' | '>' | '>=' | '='

/** A number that is compared: words, milliseconds, a score. */
export interface Comparison {
  readonly operator: Operator
  readonly amount: number
}

/** What a value must be like. */
export type ValueMatcher =
  | { readonly kind: 'any' }
  | { readonly kind: 'equals'; readonly value: unknown }
  | Pattern
  | ({ readonly kind: 'compared' } & Comparison)
  /** Other fields may be there. */
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, ValueMatcher>> }
  /** As many, in this order. */
  | { readonly kind: 'list'; readonly items: readonly ValueMatcher[] }

/** One thing that a test expects, of one turn or of the whole call. */
export type Expectation = { readonly place: Place } & (
  | { readonly kind: 'says' | 'not' | 'heard'; readonly text: TextMatcher }
  | { readonly kind: 'exactly'; readonly text: string }
  /** The tool is called at least once with such arguments. */
  | { readonly kind: 'calls'; readonly tool: string; readonly arguments: ValueMatcher }
  | { readonly kind: 'never-calls'; readonly tool: string }
  /** These calls and no other, in this order; none: no tool is called. */
  | { readonly kind: 'calls-in-order'; readonly calls: readonly ExpectedCall[] }
  /** Milliseconds from the caller's last word to the assistant's first. */
  | { readonly kind: 'within'; readonly milliseconds: number }
  | { readonly kind: 'words' | 'silence' | 'duration' | 'interruptions'; readonly comparison: Comparison }
  | { readonly kind: 'ends'; readonly by: 'assistant' | 'user' | 'system' | 'forward' }
  /** The answer came from this entry: its question. */
  | { readonly kind: 'knows'; readonly question: string }
  | { readonly kind: 'analysis'; readonly matcher: ValueMatcher }
  | { readonly kind: 'judge'; readonly sentence: string }
  | { readonly kind: 'goal'; readonly reached: boolean }
)

export interface ExpectedCall {
  readonly tool: string
  readonly arguments: ValueMatcher
}
