import type { Address } from '../../files/formats/address.ts'
import { defineErrors } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'
import type { UnknownEntry } from '../faq/index.ts'

export type PlanErrors = Immutable<{
  /** An earlier apply ended before these got a response, or one is running unless `alone`. */
  'apply-unanswered': { target: string; alone: boolean; open: Unanswered[]; unknown: Address[] }
  'no-saved-plan': { file: string }
  /** Changes since the plan was saved. */
  'plan-outdated': { file: string; changed: string[] }
}>

/** A resource whose creation has no response yet, or a knowledge base with such entries. */
export interface Unanswered {
  readonly address: Address
  /** File of a knowledge base; undefined if it was removed. */
  readonly file?: string | undefined
  readonly entries?: readonly UnknownEntry[]
}

export const planError = defineErrors<PlanErrors>()
