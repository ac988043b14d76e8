import type { Core } from '../core.ts'

export const expectations: Core = {
  about: 'what a test expects of a call, and what differs',
  sources: ['src/scenario/expect/*.ts'],
  tests: ['test/scenario/expect/*.test.ts'],
  equivalent: [],
}
