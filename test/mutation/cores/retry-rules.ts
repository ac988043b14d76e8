import type { Core } from '../core.ts'

export const retryRules: Core = {
  about: 'which request is sent again, when, and what is said of its outcome',
  sources: ['src/api/{attempt,failures,http,retry-after}.ts'],
  tests: ['test/api/{attempt,failures,http,retry-after}.test.ts'],
  equivalent: [],
}
