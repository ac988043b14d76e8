import type { Condition } from '../report/conditions/index.ts'

/** A rule of a guard file. */
export interface GuardRule {
  readonly name: string
  readonly condition: Condition
  /** Calls in the window, or in a group of it, below which the condition does not hold. */
  readonly minCalls: number
  readonly action: GuardAction | undefined
}

export type GuardAction =
  | { readonly kind: 'exec'; readonly command: string }
  | { readonly kind: 'post'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
