import type { Core } from '../core.ts'

export const snapshotDiff: Core = {
  about: 'what differs from what was last sent',
  sources: ['src/project/plan/diff.ts'],
  tests: ['test/project/plan/diff.test.ts'],
  equivalent: [],
}
