import * as z from 'zod/mini'
import {
  formatText,
  maxCharacters,
  optional,
  required,
  someText,
  webUrl,
  wholeNumber,
} from '../../interface/fields.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import { timeZoneText } from './batch.ts'

/** `guards/*.yaml`: conditions about live events (docs/webhooks.md). Not part of the service's interface. */
export const guardSchema = lazy(() =>
  z.strictObject({
    timezone: optional(timeZoneText(), 'Time zone of times of day; default: that of this machine'),
    rules: required(
      z.array(rule()).check(z.minLength(1), z.maxLength(maxRules)),
      'Conditions and their alerts',
    ),
  }),
)

/** A condition, and what to do when it becomes true or false. */
export type GuardFile = Infer<typeof guardSchema>

const maxRules = 100

/** Ended calls that a window has at most. */
export const maxGuardedCalls = 10_000

function rule() {
  return z.strictObject({
    name: required(someText().check(maxCharacters(64)), 'Name of the rule, unique in the file'),
    when: required(
      someText(),
      'Condition, such as p95(reply) over 10m > 3s, share(failed) over last 50 calls > 20% or no events for 15m between 09:00 and 18:00',
    ),
    minCalls: optional(
      wholeNumber(1, maxGuardedCalls),
      'Minimum number of calls in the window for the condition to be true',
      { default: 1 },
    ),
    exec: optional(
      someText(),
      'Command to run in the folder of this file when the rule fires and when it recovers, with the alert as JSON on stdin',
    ),
    url: optional(webUrl(), 'URL to which the alert is sent instead, as a JSON POST'),
    headers: optional(
      z.record(
        formatText(
          "^(?!(?:connection|content-length|expect|host|keep-alive|transfer-encoding|upgrade)$)[a-zA-Z0-9!#$%&'*+.^_`\\|~\\-]+$",
          'the name of a header',
        ),
        formatText('^[\\t\\x20-\\x7e\\x80-\\xff]*$', 'the value of a header'),
      ),
      'Headers of this request, such as authorization: Bearer ${env:ALERT_TOKEN}',
    ),
  })
}
