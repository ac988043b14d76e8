/** Guards: rules about live events (such as a share of failed calls), and the delivery of their alerts. Nothing here prints. */
export type { GuardRule } from './guard-rule.ts'
export type { AlertFailure, GuardAlert, GuardTotals, RuleStatus } from './guard-schemas.ts'
export type { Guard, GuardReport } from './open-guard.ts'
export { readRules } from './read-rules.ts'
export type { LiveRuleStatus } from './rule-status.ts'

export const loadGuard = () => import('./open-guard.ts')
export const loadGuardReplay = () => import('./replay-guard.ts')
