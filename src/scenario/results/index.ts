/** Results of a run of tests, and their document. */
export {
  type FailureWords,
  hasPassed,
  hasPassedByRules,
  notRunEntry,
  type TestNotRun,
  type TestRun,
  testDocument,
  testEntry,
  testSummary,
  withoutCalls,
  withoutTests,
} from './document.ts'
