import type { ShownDelivery } from './wire.ts'

/** True for a delivery that the target did not take, also while it is tried again. */
export function hasFailed(delivery: ShownDelivery): boolean {
  if (delivery.state === 'dropped') return true
  if (delivery.state !== 'sent') return false
  return !('status' in delivery) || delivery.status < 200 || delivery.status > 299
}
