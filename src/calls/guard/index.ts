/** Guards: rules about live events (such as a share of failed calls), and the delivery of their alerts. Nothing here prints. */
export { type AlertFailure, alertFailedSchema, alertSchemas, type GuardAlert } from './alert.ts'
export type { GuardRule } from './guard-rule.ts'
export type { Guard, GuardReport } from './open-guard.ts'
export { readRules } from './read-rules.ts'
export { type GuardTotals, guardTotalsSchema, type LiveRuleStatus, type RuleStatus } from './rule-status.ts'

export const loadGuard = () => import('./open-guard.ts')
export const loadGuardReplay = () => import('./replay-guard.ts')
