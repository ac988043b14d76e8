import type { CallFacts } from '../report/index.ts'

/** Result of a check at a time: a figure of all calls, or of each group. */
export interface CheckResult {
  readonly group: string | null | undefined
  readonly value: number | undefined
  readonly holds: boolean
  readonly calls?: () => readonly CallFacts[]
}

/** A condition as it is checked again and again. */
export interface ConditionCheck {
  /** Time before which its result cannot change, unless something happens. */
  readonly dueAt: number
  /** A call has entered the window, or its facts have changed. */
  onCall(at: number): void
  onEvent(at: number): void
  check(at: number): readonly CheckResult[]
}

/** Conditions are checked at full seconds, so that their cost does not grow with the rate of events. */
const stepMs = 1000

/** Returns the first full second at or after a time. */
export function toStep(at: number): number {
  return Math.ceil(at / stepMs) * stepMs
}
