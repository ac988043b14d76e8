/** Code without side effects, of which the tests beside it must notice nearly every change. */
export interface Core {
  readonly about: string
  /** Patterns of the files that are mutated, from the root of the repository. */
  readonly sources: readonly string[]
  /** Patterns of the test files that must notice. */
  readonly tests: readonly string[]
  readonly equivalent: readonly Equivalent[]
}

/** Mutants that no test can notice, for the behaviour stays the same. They are left out of the score. */
export interface Equivalent {
  /** The end of the path: the name of the file suffices, so that it may move. */
  readonly file: string
  /** The lines that the mutant touches as they then read, with single spaces: `mutatedLines` makes them. */
  readonly becomes: readonly string[]
  /** The same lines as they are now: where mutants of several places read the same. */
  readonly was?: string
  readonly why: string
}
