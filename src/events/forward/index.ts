/** Forwards webhook events to other servers: a log on disk, recovery of what other processes left, retries, replay of recordings. */
export { type Claim, splitClaim } from './claim.ts'
export type { OnDelivery } from './delivery.ts'
export { envelopeOf, isMasked } from './envelope.ts'
export {
  assertForwardsElsewhere,
  type ForwardEvent,
  type ForwardFailure,
  type ForwardRetry,
  type ForwardTarget,
  type ForwardTotals,
  getTargetKey,
  selectTargets,
} from './forward-event.ts'
export type { ResendDocument } from './forward-schemas.ts'
export type { Forwarder } from './forwarder.ts'
export { type EventFailure, type EventResponse, type PostEventOptions, postEvent } from './post-event.ts'
export { sendRecorded } from './send-recorded.ts'
export type { TargetTotals } from './target-sender.ts'

export const loadForwarder = () => import('./forwarder.ts')
