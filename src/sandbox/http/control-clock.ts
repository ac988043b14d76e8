import * as z from 'zod/mini'
import { named, optional, required } from '../../interface/fields.ts'
import { CallwrightError } from '../../lib/error.ts'
import { durationPattern, readDuration } from '../../lib/text/date-time.ts'
import { checkAdvance, maxPace, type SandboxClock } from '../clock/world-clock.ts'
import { invalidField } from '../records/problem.ts'

const timeSpan = z.stringFormat('time-span', text => readDuration(text) !== undefined)

/** What a client asks of the clock of a world. */
export const clockBody = named(
  'ClockChange',
  z.strictObject({
    advance: optional(
      z.union([
        required(timeSpan, 'A duration: 500ms, 30s, 2m, 3h, 2d or 1w', { pattern: durationPattern.source }),
        required(z.number().check(z.minimum(0)), 'Milliseconds'),
      ]),
      'Time that passes',
    ),
    freeze: optional(z.boolean(), 'Whether time passes by advance alone'),
    pace: optional(
      z.number().check(z.minimum(0), z.maximum(maxPace)),
      'How many times as fast as real time; 0 does not wait',
    ),
  }),
)

/** A clock as the control API answers it. */
export function shownClock({ now, pace, frozen }: SandboxClock) {
  return { now: new Date(now()).toISOString(), pace, frozen }
}

/** @throws Problem 422 */
export async function changeClock(clock: SandboxClock, change: z.infer<typeof clockBody>): Promise<void> {
  const { advance, freeze, pace } = change
  if (Object.keys(change).length === 0) {
    throw invalidField([], 'missing', 'the body changes nothing', 'give advance, freeze or pace')
  }
  const milliseconds = typeof advance === 'string' ? readDuration(advance) : advance
  try {
    // Before anything changes.
    if (milliseconds !== undefined) checkAdvance(clock, milliseconds)
    if (pace !== undefined) clock.setPace(pace)
    if (freeze !== undefined) clock.freeze(freeze)
    if (milliseconds !== undefined) await clock.advance(milliseconds)
  } catch (error) {
    if (!(error instanceof CallwrightError && error.code === 'bad-advance')) throw error
    throw invalidField(
      ['advance'],
      'out-of-range',
      `advance is ${JSON.stringify(advance)}: beyond the year 9999`,
      'give less; a reset or a restore sets the clock back',
    )
  }
}
