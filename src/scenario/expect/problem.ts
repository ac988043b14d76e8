import type { FieldPath } from '../../interface/finding.ts'

/** Why what a test expects cannot be read, by code with what is allowed; the words stand in src/cli/messages/. */
export type MatcherProblemDetails = {
  /** Each text contains it. */
  'empty-text': Readonly<Record<string, never>>
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

type CodeAndDetails = {
  readonly [Code in keyof MatcherProblemDetails]: {
    readonly code: Code
    readonly details: MatcherProblemDetails[Code]
  }
}[keyof MatcherProblemDetails]

/** `path`: inside the value that was read. */
export type MatcherProblem = CodeAndDetails & { readonly path: FieldPath }

export type ReadMatcher<Matcher> = { readonly matcher: Matcher } | { readonly problem: MatcherProblem }

export function problemOf(found: CodeAndDetails): { readonly problem: MatcherProblem } {
  return { problem: { ...found, path: [] } }
}

/** Characters of a text that is looked for, and of a pattern: what is done with each is bounded by it. */
export const maxExpectedLength = 2000
