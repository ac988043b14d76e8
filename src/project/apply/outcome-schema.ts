import * as z from 'zod/mini'
import { optional, required } from '../../interface/fields.ts'
import { type CallyardError, errorKinds } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'
import { notStoredSchema } from '../../service/api/index.ts'
import { pendingActions, type Why } from '../plan/index.ts'
import { addressSchema } from '../plan/plan-schema.ts'

const outcomeSchema = z.object({
  address: addressSchema,
  action: z.enum(pendingActions),
  status: z.enum(['done', 'failed', 'skipped', 'blocked']),
  file: z.string(),
  id: optional(z.string(), 'Id at the target, if known'),
  summary: optional(z.string(), 'What was done'),
  reason: optional(z.string(), 'Why it was not done'),
  unknown: optional(z.literal(true), 'It is not known what the service has now'),
  kind: optional(z.enum(errorKinds), 'Kind of the failure'),
  code: optional(z.string(), 'Case within the kind'),
  hint: optional(z.string(), 'What to do next'),
})
export type OutcomeDocument = Immutable<z.infer<typeof outcomeSchema>>

/** Outcome of one resource. `reason` is that of a skipped one. */
export interface ResourceOutcome extends Omit<OutcomeDocument, 'kind' | 'code' | 'hint'> {
  /** Why it is blocked. */
  readonly why?: Why | undefined
  /** Error of a failed resource, or of one that Ctrl-C skipped: as a command of its own would have ended. */
  readonly error?: CallyardError
}

const outcomes = z.array(outcomeSchema)
const addresses = z.array(addressSchema)

/** Result of an apply, as --json prints it. */
export const appliedSchema = z.object({
  target: required(z.string(), 'Section of the lockfile'),
  baseUrl: z.optional(z.string()),
  ids: required(z.record(z.string(), z.string()), 'Ids at the target by address'),
  done: outcomes,
  failed: outcomes,
  skipped: outcomes,
  blocked: outcomes,
  unchanged: addresses,
  orphaned: addresses,
  notStored: notStoredSchema,
})
export type AppliedDocument = Immutable<z.infer<typeof appliedSchema>>
