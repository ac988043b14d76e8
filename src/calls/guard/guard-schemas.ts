import * as z from 'zod/mini'
import { eventSchema, optional, required, requiredList } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

/** Calls that an alert lists. */
export const maxCalls = 20

const callSchema = z.object({
  call: required(z.string(), 'Name by which webhook show finds it'),
  at: required(z.string(), 'When it began, ISO 8601'),
  assistant: z.nullable(z.string()),
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
  outcome: z.nullable(z.string()),
  endedBy: z.nullable(z.string()),
})

const fields = {
  id: required(z.string(), 'The same for the alert and its recovery, and for each attempt to send one'),
  rule: z.string(),
  when: required(z.string(), 'Condition of the rule'),
  group: optional(z.nullable(z.string()), 'Group of a condition with by; null if its name is unknown'),
  at: required(z.string(), 'ISO 8601'),
  since: required(z.string(), 'When the rule fired, ISO 8601'),
  value: required(
    z.nullable(z.number()),
    'Figure: milliseconds, a share from 0 to 1, or a number; null without data',
  ),
  limit: z.number(),
  unit: z.enum(['ms', 'share', 'number']),
  calls: required(z.array(callSchema), `The first ${maxCalls} calls behind the figure, the worst first`),
}

/** Alert of a rule: a line of --json, the stdin of its command, and the body of its request. */
export const alertSchemas = [
  eventSchema('guard-fired', fields),
  eventSchema('guard-recovered', fields),
] as const

export type GuardAlert = Immutable<z.infer<(typeof alertSchemas)[number]>>

/** An alert could not be delivered. */
export const alertFailedSchema = eventSchema('guard-failed', {
  id: z.string(),
  rule: z.string(),
  alert: z.enum(['guard-fired', 'guard-recovered']),
  reason: z.string(),
  status: optional(z.int(), 'Of the response'),
  stderr: optional(z.string(), 'Beginning of what the command printed there'),
  retryMs: optional(z.int(), 'Milliseconds until the next attempt; missing if there is none'),
})

export type AlertFailure = Immutable<z.infer<typeof alertFailedSchema>>

const ruleStatusSchema = z.object({
  name: z.string(),
  when: required(z.string(), 'Condition'),
  fired: required(z.int(), 'Times that it fired'),
  firing: requiredList('Where it holds, and since when; empty if it does not', {
    group: optional(z.nullable(z.string()), 'Group'),
    since: z.string(),
  }),
})

/** State of a rule. */
export type RuleStatus = Immutable<z.infer<typeof ruleStatusSchema>>

/** Rules of a guard at the end. */
export const guardTotalsSchema = z.object({
  rules: z.array(ruleStatusSchema),
  delivered: required(z.int(), 'Alerts that were delivered; 0 for a recording'),
  failed: required(z.int(), 'Alerts that were given up, or still to be delivered on exit'),
})

export type GuardTotals = Immutable<z.infer<typeof guardTotalsSchema>>
