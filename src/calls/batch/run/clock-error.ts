import { CallyardError } from '../../../lib/error.ts'

/** Difference between the clocks of two runners that windows, retries and callbacks tolerate. */
export const maxClockErrorMs = 60_000

/** Error of a runner whose clock is ahead of that of the broker by `aheadMs`, or behind. */
export function clockError(aheadMs: number): CallyardError {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return new CallyardError(
    'conflict',
    `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the broker`,
    { hint: 'synchronize both clocks: times of day and retries depend on them', details: { aheadMs } },
  )
}
