import * as z from 'zod/mini'
import { callKinds, type PersonStatus, pauseTriggers, personStatuses } from '../../../files/formats/batch.ts'
import { objectList, required, requiredList } from '../../../interface/fields.ts'
import type { Person } from '../contacts.ts'
import { type CallRules, historyOf, planNextCall, statusOf } from '../next-call.ts'
import type { BatchPlan } from '../plan.ts'
import { skippedRowsSchema } from '../plan-schema.ts'
import { countStatuses } from '../queue.ts'
import type { Identity } from '../refusals.ts'
import { type BatchState, outcomeOf } from '../state.ts'

/** Number of people by status. */
export const statusCountsSchema = z.object(
  Object.fromEntries(personStatuses.map(status => [status, z.int()])) as Record<PersonStatus, z.ZodMiniInt>,
)

const listed = { person: required(z.string(), 'Id of the person'), number: z.string(), at: z.string() }
const unknownCall = {
  ...listed,
  inFlight: required(z.boolean(), 'True while a run on this machine waits for the response'),
}
const plannedCall = { ...listed, why: required(z.enum(callKinds), 'Why the person is called') }
const counted = {
  people: z.int(),
  counts: statusCountsSchema,
  calls: required(z.int(), 'Number of calls'),
}

/** Index of a person in the lists. */
const index = z.number()

/** Counts and lists that the status of a batch shows. */
export const statusReportSchema = z.object({
  ...counted,
  seconds: z.number(),
  /**
   * People who may have been called, in the order of the lists. `inFlight` is true if nothing is known of the request: without a
   * run in progress, its response was lost.
   */
  unknown: objectList({ index, ...unknownCall }),
  /** Calls that are planned for a time, earliest first; those of the same time in the order of the lists. */
  next: objectList({ index, ...plannedCall }),
  skipped: skippedRowsSchema,
})
export type StatusReport = z.infer<typeof statusReportSchema>

/** The status of a batch, as --json prints it. */
export const batchStatusSchema = z.object({
  batch: z.string(),
  service: required(z.nullable(z.string()), 'Base URL; null before the first run'),
  isCancelled: z.boolean(),
  paused: z.nullable(z.object({ by: z.enum([...pauseTriggers, 'person']), reason: z.nullable(z.string()) })),
  ...counted,
  seconds: required(z.int(), 'Duration of all calls'),
  unknown: requiredList('People who may have been called', unknownCall),
  next: requiredList('Calls that are planned for a time, earliest first', plannedCall),
  skipped: skippedRowsSchema,
})
export type BatchStatusDocument = z.infer<typeof batchStatusSchema>

export function batchStatusDocument({
  name,
  state: { begun, paused, isCancelled },
  report: { seconds, unknown, next, ...counted },
}: {
  readonly name: string
  readonly state: BatchState
  readonly report: StatusReport
}): BatchStatusDocument {
  return {
    ...{ batch: name, service: begun?.service ?? null, isCancelled },
    paused: paused === undefined ? null : { by: paused.by, reason: paused.reason },
    ...counted,
    seconds: Math.round(seconds),
    unknown: unknown.map(({ index: _, ...call }) => call),
    next: next.map(({ index: _, ...call }) => call),
  }
}

/** Person with the status before a change, and the index in the lists. */
export interface ChangedPerson extends Identity {
  readonly index: number
  readonly status: PersonStatus
}

/** Reports on all people. */
export function reportStatus(
  people: readonly Person[],
  skipped: BatchPlan['skipped'],
  state: BatchState,
  rules: CallRules,
): StatusReport {
  return {
    ...{ people: people.length, counts: { ...countStatuses(people, state, rules) }, skipped },
    ...{ calls: callsOf(state), seconds: state.seconds },
    unknown: people.flatMap((person, index) => unknownOf({ ...person, index }, state)),
    next: people.flatMap((person, index) => nextOf({ ...person, index }, state, rules)).sort(byTime),
  }
}

/** Returns a report in which no request is in flight, because nobody runs the batch, or it is not known who does. */
export function withoutRequests(report: StatusReport): StatusReport {
  return { ...report, unknown: report.unknown.map(call => ({ ...call, inFlight: false })) }
}

/** Updates a report after a change of some people. `state` has all calls to them, and is the state that `before` was taken from. */
export function updateReport(
  report: StatusReport,
  people: readonly ChangedPerson[],
  state: BatchState,
  before: { readonly calls: number; readonly seconds: number },
  rules: CallRules,
): StatusReport {
  const counts = { ...report.counts }
  for (const person of people) {
    counts[person.status] -= 1
    counts[statusOf(person, state, rules)] += 1
  }
  const changed = new Set(people.map(({ index }) => index))
  const isSame = ({ index }: { readonly index: number }) => !changed.has(index)
  const unknown = people.flatMap(person => unknownOf(person, state))
  const next = people.flatMap(person => nextOf(person, state, rules))
  return {
    ...report,
    counts,
    calls: report.calls + callsOf(state) - before.calls,
    seconds: report.seconds + state.seconds - before.seconds,
    unknown: [...report.unknown.filter(isSame), ...unknown].sort((one, other) => one.index - other.index),
    next: [...report.next.filter(isSame), ...next].sort(byTime),
  }
}

/** Returns the number of calls, without requests that were not sent or were rejected. */
export function callsOf({ senders }: BatchState): number {
  return [...senders.values()].reduce((sum, number) => sum + number, 0)
}

type ListedPerson = Omit<ChangedPerson, 'status'>

function unknownOf(person: ListedPerson, state: BatchState): StatusReport['unknown'] {
  const call = historyOf(person, state).at(-1)
  if (call === undefined || outcomeOf(call) !== 'unknown' || call.isRepeated) return []
  const { number, at, outcome } = call
  return [{ index: person.index, person: person.id, number, at, inFlight: outcome === 'calling' }]
}

function nextOf(person: ListedPerson, state: BatchState, rules: CallRules): StatusReport['next'] {
  const next = planNextCall(person, state, rules)
  if (next === undefined || next.at === 0) return []
  const { index, id } = person
  return [{ index, person: id, number: next.number, at: new Date(next.at).toISOString(), why: next.kind }]
}

type Planned = StatusReport['next'][number]

function byTime({ at: one, index: first }: Planned, { at: other, index: second }: Planned): number {
  if (one === other) return first - second
  // Years after 9999 have more digits.
  if (one.length !== other.length) return Date.parse(one) - Date.parse(other)
  return one < other ? -1 : 1
}
