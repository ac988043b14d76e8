import type { Core } from '../core.ts'

export const conversation: Core = {
  about: 'what is new in each webhook event of a call, and what is remembered of calls',
  sources: [
    'src/webhook/conversation/{conversation,conversation-state,changes,status-change,seen-calls,summary-counter,is-edit}.ts',
  ],
  tests: ['test/webhook/conversation/{conversation,seen-calls,summary-counter,is-edit}.test.ts'],
  equivalent: [],
}
