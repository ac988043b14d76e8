import * as z from 'zod/mini'
import { callKinds, pauseTriggers } from '../../../files/formats/batch.ts'
import { eventSchema, required } from '../../../interface/fields.ts'
import { callOutcomes } from '../../../interface/words.ts'
import type { Immutable } from '../../../lib/json.ts'

/** Why a run ended. */
export const runEnds = [
  'done',
  /** The signal: a person paused it, and the same command continues. */
  'paused',
  /** `batch pause`, `first` or `stopWhen`: a person must resume the batch. */
  'stopped',
  'cancelled',
  /** `until`, or no time is left in the window. */
  'ended',
  /** `limit.calls`, `limit.minutes`, or the limits of the numbers that calls come from. */
  'limit',
] as const
export type RunEnd = (typeof runEnds)[number]

/** Why no call begins now. `retry`: the next call is planned for later; `calls`: others must end first; `drain`: none begins any more. */
const waitReasons = ['window', 'retry', 'rate', 'busy', 'calls', 'drain'] as const
export type WaitReason = (typeof waitReasons)[number]

/** States of a call that are events. */
const callPhases = ['queued', 'ringing', 'talking'] as const
/** State of a call without an outcome; `placing` until the service has responded. */
export type CallPhase = 'placing' | (typeof callPhases)[number]

const person = required(z.string(), 'Id of the person')

/** Fields of an event about a call. */
export const ofCall = { person, to: z.string(), call: z.nullable(z.string()) }

/** Events of a run, as listeners receive them and --json prints them. Times are ISO 8601. */
export const batchEventSchemas = [
  eventSchema('called', {
    ...ofCall,
    from: z.string(),
    why: required(z.enum(callKinds), 'Why the person is called'),
  }),
  eventSchema('failed', {
    person,
    to: z.string(),
    outcome: z.enum(['rejected', 'unknown']),
    reason: z.string(),
  }),
  eventSchema('phase', { ...ofCall, phase: z.enum(callPhases) }),
  // The service has not begun the call for a long time; it may ring outside of the window.
  eventSchema('queued-long', { ...ofCall, seconds: z.int() }),
  eventSchema('ended', {
    ...ofCall,
    outcome: z.enum(callOutcomes),
    seconds: z.nullable(z.number()),
    endedBy: required(z.nullable(z.string()), 'callEndTriggerBy'),
    reason: z.nullable(z.string()),
    next: required(z.nullable(z.string()), 'When the person is called again, ISO 8601'),
  }),
  eventSchema('opted-out', { person, words: z.string() }),
  eventSchema('skipped', { person, reason: z.string() }),
  eventSchema('stopped', { by: z.enum(pauseTriggers), reason: z.string() }),
  eventSchema('requested', { request: z.string() }),
  // For `calls`, calls of an earlier run have no outcome after this time.
  eventSchema('waiting', {
    until: required(z.nullable(z.string()), 'ISO 8601'),
    reason: z.enum(waitReasons),
  }),
] as const

export type BatchEvent = Immutable<z.infer<(typeof batchEventSchemas)[number]>>

/** A time of an event; null for no time, and for as soon as possible. */
export function eventTime(at: number | null | undefined): string | null {
  return at === null || at === undefined || at === 0 || !Number.isFinite(at)
    ? null
    : new Date(at).toISOString()
}
