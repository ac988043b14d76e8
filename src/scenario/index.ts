/** Conversation tests: load files, run calls on a sandbox, compare with what is expected (`expect/`), judge, cassettes of responses. */

export { computeCoverage } from './coverage/coverage.ts'
export type { Coverage } from './coverage/coverage-schema.ts'
export { MatcherError } from './errors.ts'
export { readTextMatcher } from './expect/text.ts'
export { listNeeds } from './list-needs.ts'
export { loadTests } from './load/load-tests.ts'
export { asWritten } from './reference-mark.ts'
export type { RunOptions } from './run/run-options.ts'
export { runTests } from './run/run-tests.ts'
export type {
  Comparison,
  ExpectedCall,
  SourceLocation,
  TestCase,
  TextMatcher,
  ValueMatcher,
} from './test-case.ts'
export type {
  Attempt,
  Failure,
  FailureCode,
  FailureDetails,
  ObservedCall,
  ObservedTool,
  ObservedTurn,
  RequestDifference,
  SpokenMessage,
  TestResult,
  TestStatus,
  Undecided,
} from './verdict.ts'
export { sortByStart } from './verdict.ts'
