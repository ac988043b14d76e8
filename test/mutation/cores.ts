import type { Core } from './core.ts'
import { callEngine } from './cores/call-engine.ts'
import { conversation } from './cores/conversation.ts'
import { escaping } from './cores/escaping.ts'
import { expectations } from './cores/expectations.ts'
import { plan } from './cores/plan.ts'
import { references } from './cores/references.ts'
import { retryRules } from './cores/retry-rules.ts'
import { snapshotDiff } from './cores/snapshot-diff.ts'
import { splice } from './cores/splice.ts'

/** Cores that `npm run mutate` mutates, by name. */
export const cores: Readonly<Record<string, Core>> = {
  'call-engine': callEngine,
  conversation,
  escaping,
  expectations,
  plan,
  references,
  'retry-rules': retryRules,
  'snapshot-diff': snapshotDiff,
  splice,
}
