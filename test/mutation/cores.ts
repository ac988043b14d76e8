import type { Core } from './core.ts'
import { escaping } from './cores/escaping.ts'
import { plan } from './cores/plan.ts'
import { references } from './cores/references.ts'
import { retryRules } from './cores/retry-rules.ts'
import { snapshotDiff } from './cores/snapshot-diff.ts'

/** What `npm run mutate` mutates, by the name that it takes. */
export const cores: Readonly<Record<string, Core>> = {
  escaping,
  plan,
  references,
  'retry-rules': retryRules,
  'snapshot-diff': snapshotDiff,
}
