import * as z from 'zod/mini'
import { required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'

/** Actions that need the approval of a person. */
export const approvableActions = ['apply', 'call', 'batch'] as const

/** Fields of the decision about a request for approval. */
export const decisionFields = () => ({
  code: required(z.string(), 'Code of the request'),
  decision: required(z.enum(['approved', 'rejected']), 'Decision of the person'),
  action: required(z.enum(approvableActions), 'Requested action'),
  profile: required(z.nullable(z.string()), 'Profile of the service, if it was chosen by one'),
  service: required(z.string(), 'Base URL of the service'),
  to: required(z.nullable(z.string()), 'Number to call; null for several, and for apply'),
  calls: required(z.int(), 'Maximum number of calls'),
})

/** A decision about a request for approval. */
export const decisionSchema = lazy(() =>
  z.object({ at: required(z.string(), 'When it was decided, ISO 8601'), ...decisionFields() }),
)
export type Decision = Immutable<Infer<typeof decisionSchema>>
