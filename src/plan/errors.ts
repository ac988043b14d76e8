import type { UnknownEntry } from '../faq/index.ts'
import type { Address } from '../interface/address.ts'
import { errorsOf } from '../lib/error.ts'
import type { Immutable } from '../lib/json.ts'

/** Codes of failures of plans, with their details. */
export type PlanErrors = Immutable<{
  /** An earlier apply ended, or one is under way unless `alone`, before these were answered. */
  'apply-unanswered': { target: string; alone: boolean; open: Unanswered[]; unknown: Address[] }
  'no-saved-plan': { file: string }
  /** What changed since the plan was saved. */
  'plan-outdated': { file: string; changed: string[] }
}>

/** A resource whose creation, or a knowledge base of whose entries some, have no answer yet. */
export interface Unanswered {
  readonly address: Address
  /** Of a knowledge base; undefined where there is none any more. */
  readonly file?: string | undefined
  readonly entries?: readonly UnknownEntry[]
}

export const planError = errorsOf<PlanErrors>()
