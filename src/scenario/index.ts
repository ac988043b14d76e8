/** Tests of conversations: their files, the calls that they make on a sandbox, and what is expected of them. */

export type {
  AttemptModels,
  MissingAnswer,
  ModelRole,
  OpenModels,
  RequestDifference,
  UnansweredRequest,
} from './attempt-models.ts'
export { createSimulatedCaller } from './caller/simulated-caller.ts'
export type { CassetteChange, ChangedAnswer } from './cassette/cassette-change.ts'
export type { CassetteErrors, CassetteFindings } from './cassette/errors.ts'
export { type CassetteOptions, type Cassettes, openCassettes } from './cassette/open-cassettes.ts'
export { compareResults, type TestChange, type TestSide } from './compare/compare-results.ts'
export { type Coverage, type CoveredProject, coverageOf } from './coverage/coverage.ts'
export type { TestFindings } from './errors.ts'
export type { MatcherProblem } from './expect/problem.ts'
export { countWords } from './expect/words.ts'
export { judge } from './judge/judge.ts'
export {
  type LoadedTestFile,
  type LoadedTests,
  type LoadTestsOptions,
  loadTests,
} from './load/load-tests.ts'
export type {
  ObservedCall,
  ObservedTool,
  ObservedTurn,
  SaidMessage,
} from './observed-call.ts'
export type { Judge, JudgeQuestion, NextTurn, RunOptions, TestProject } from './run/run-options.ts'
export { runTests } from './run/run-tests.ts'
export type {
  Comparison,
  Expectation,
  ExpectedCall,
  Place,
  TestCase,
  TestToolAnswer,
  TestTurn,
  TextMatcher,
  ValueMatcher,
} from './test-case.ts'
export type {
  Attempt,
  Failure,
  FailureCode,
  FailureDetails,
  TestResult,
  TestStatus,
  Undecided,
} from './verdict.ts'
