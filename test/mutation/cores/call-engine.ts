import type { Core } from '../core.ts'

export const callEngine: Core = {
  about: 'who speaks when in a simulated call',
  sources: ['src/sandbox/engine/{call-engine,call-state,turn-taking,floor,speaking,caller,ending}.ts'],
  tests: ['test/sandbox/engine/{call-course,turn-taking}.test.ts'],
  equivalent: [],
}
