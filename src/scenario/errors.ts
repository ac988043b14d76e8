import type { FieldPath } from '../interface/finding.ts'

/** Problems in test files beyond their schema, by code. src/cli/messages/ formats them. */
export type TestFindings = {
  /** The test has no expectations. */
  'nothing-expected': Nothing
  /** A turn other than the first has no caller line. */
  'line-missing': Nothing
  /** A turn has `include` and another field. */
  'include-beside': { readonly other: 'user' | 'expect' }
  /** `problem` is the reader's message; `hasHint` tells if it has its own hint. */
  'include-unreadable': { readonly file: string; readonly problem: string; readonly hasHint: boolean }
  /** Display names of the files; the first and the last are equal. */
  'include-circle': { readonly circle: readonly string[] }
  'too-many-turns': { readonly max: number }
  'blank-line': InRow
  /** `problem` and `next` are the sandbox's message and hint. */
  'caller-line': InRow & { readonly problem: string; readonly correction: string }
  'no-test-rows': { readonly file: string }
  /** A row lacks a column that another row has. */
  'column-missing': { readonly name: string; readonly row: number }
  'unknown-assistant': Unknown
  'assistant-outside': { readonly name: string }
  'unknown-tool': Unknown
  'unknown-question': Unknown
  /** The variable occurs in no text of the project. */
  'unknown-variable': Unknown
  /** The name is neither a column nor a variable; `isCircular` if it is in the value of the variable itself. */
  'unknown-column': Unknown & { readonly isCircular: boolean }
  /** The test uses none of the columns of its rows. */
  'unused-columns': { readonly columns: readonly string[] }
  'bad-duration': InRow & { readonly value: string }
  'bad-time': InRow & { readonly value: string }
  'bad-matcher': InRow & Pick<MatcherError, 'path' | 'problem'> & { readonly value: unknown }
  'pass-above-times': { readonly pass: number; readonly times: number }
  /** `turns` is a list although `caller` is set, or a number although it is not. */
  'turns-for-caller': { readonly hasCaller: boolean }
  'goal-without-caller': Nothing
  'encoding-without-file': Nothing
  /** Predefined tools have no server to replace. */
  'tool-predefined': { readonly name: string }
  'tool-twice': { readonly name: string; readonly other: string }
  'name-of-other-test': { readonly name: string; readonly other: string }
  'id-of-other-test': { readonly id: string; readonly other: string }
}

type Nothing = Readonly<Record<string, never>>

/** 1-based number of the first affected row of `each`; undefined for a test without rows. */
type InRow = { readonly row?: number | undefined }

type Unknown = InRow & {
  readonly name: string
  /** Closest existing name. */
  readonly near: string | undefined
  /** Existing names; undefined if the list would not help. */
  readonly there?: readonly string[] | undefined
}

/** Reasons why a matcher is invalid, by code. src/cli/messages/ formats them. */
type MatcherProblems = {
  /** An empty text matches everything. */
  'empty-text': Nothing
  /** `max` is in characters. */
  'text-too-long': { readonly max: number }
  'unknown-flag': { readonly flag: string; readonly allowed: readonly string[] }
  /** `reason` comes from the pattern engine, in English. */
  'broken-pattern': { readonly pattern: string; readonly reason: string }
  'no-comparison': {
    readonly unit: ComparedUnit
    readonly operators: readonly string[]
    /** Valid comparisons to show. */
    readonly examples: readonly string[]
  }
  'nested-too-deep': { readonly max: number }
}

export type ComparedUnit = 'count' | 'duration'

export type MatcherProblem = {
  readonly [Code in keyof MatcherProblems]: { readonly code: Code; readonly details: MatcherProblems[Code] }
}[keyof MatcherProblems]

/** Thrown for an invalid matcher. `path` is relative to the value that was read. */
export class MatcherError extends Error {
  override readonly name = 'MatcherError'

  constructor(
    readonly problem: MatcherProblem,
    readonly path: FieldPath = [],
  ) {
    super(problem.code)
  }
}
