import type { Core } from '../core.ts'

export const plan: Core = {
  about: 'what an apply would do',
  sources: ['src/project/plan/!(diff).ts'],
  tests: ['test/project/plan/!(diff).test.ts'],
  equivalent: [],
}
