import type { FieldPath } from '../interface/finding.ts'

/** What is found in the files of tests, beyond what their schema says: the code of each sentence, and what it needs. */
export type TestFindings = {
  /** Nothing can fail. */
  'nothing-expected': Nothing
  /** Only the first turn may have no line of the caller. */
  'line-missing': Nothing
  /** A turn has an include and something else. */
  'include-beside': { readonly other: 'user' | 'expect' }
  /** `problem` is a sentence of the reader, which may have a hint of its own. */
  'include-unreadable': { readonly file: string; readonly problem: string; readonly hasHint: boolean }
  /** The files, as people see their names; the first is the last. */
  'include-circle': { readonly circle: readonly string[] }
  'too-many-turns': { readonly max: number }
  'blank-line': InRow
  /** `problem` and `next` are sentences of the sandbox. */
  'caller-line': InRow & { readonly problem: string; readonly next: string }
  'no-rows': { readonly file: string }
  /** A row has no such column, and another one has. */
  'column-missing': { readonly name: string; readonly row: number }
  'unknown-assistant': Unknown
  'assistant-outside': { readonly name: string }
  'unknown-tool': Unknown
  'unknown-question': Unknown
  /** No text of the project has the variable. */
  'unknown-variable': Unknown
  /** Neither a column nor a variable. */
  'unknown-column': Unknown
  'bad-duration': InRow & { readonly value: string }
  'bad-time': InRow & { readonly value: string }
  'bad-matcher': InRow & Pick<MatcherError, 'path' | 'problem'> & { readonly value: unknown }
  'pass-above-times': { readonly pass: number; readonly times: number }
  /** `turns` is a list beside `caller`, or a number without it. */
  'turns-for-caller': { readonly hasCaller: boolean }
  'goal-without-caller': Nothing
  /** It has no server whose answer could be given. */
  'tool-predefined': { readonly name: string }
  'tool-twice': { readonly name: string; readonly other: string }
  'name-of-other-test': { readonly name: string; readonly other: string }
  'id-of-other-test': { readonly id: string; readonly other: string }
}

type Nothing = Readonly<Record<string, never>>

/** The first row of `each` in which it is so, from 1; undefined for a test without. */
type InRow = { readonly row?: number | undefined }

type Unknown = InRow & {
  readonly name: string
  /** What may be meant. */
  readonly near: string | undefined
  /** What there is; undefined where it is too much, or no help. */
  readonly there?: readonly string[] | undefined
}

/** Why what a test expects cannot be read, by code with what is allowed; the words stand in src/messages/. */
type MatcherProblems = {
  /** Each text contains it. */
  'empty-text': Nothing
  /** `max`: characters. */
  'text-too-long': { readonly max: number }
  'unknown-flag': { readonly flag: string; readonly allowed: readonly string[] }
  /** `reason`: by the engine of the patterns, in English. */
  'broken-pattern': { readonly pattern: string; readonly reason: string }
  'no-comparison': {
    readonly unit: ComparedUnit
    readonly operators: readonly string[]
    /** As it may be written. */
    readonly examples: readonly string[]
  }
  'nested-too-deep': { readonly max: number }
}

export type ComparedUnit = 'count' | 'duration'

export type MatcherProblem = {
  readonly [Code in keyof MatcherProblems]: { readonly code: Code; readonly details: MatcherProblems[Code] }
}[keyof MatcherProblems]

/** What a test expects cannot be read. `path`: inside the value that was read. */
export class MatcherError extends Error {
  override readonly name = 'MatcherError'

  constructor(
    readonly problem: MatcherProblem,
    readonly path: FieldPath = [],
  ) {
    super(problem.code)
  }
}
