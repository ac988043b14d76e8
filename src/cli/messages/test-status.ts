import type { TestStatus } from '../../scenario/index.ts'

/** A verdict as a person reads it. */
export const testStatusWords = {
  passed: 'passed',
  failed: 'failed',
  undecided: 'not judged',
  skipped: 'skipped',
} as const satisfies Record<TestStatus, string>
