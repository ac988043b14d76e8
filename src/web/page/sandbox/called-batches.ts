import { readUnansweredStatus, unansweredReasons } from '../../../events/conversation/read-outcome.ts'
import type { CallView } from '../../../files/formats/control-api.ts'
import { callOutcomes } from '../../../interface/words.ts'
import { addToGroup, countBy } from '../../../lib/group-by.ts'
import { isObject } from '../../../lib/json.ts'
import { readDateTime } from '../../../lib/text/date-time.ts'
import type { LiveBatchCall, StatusCount } from '../../batch-wire.ts'
import type { CallSummary, ShownBatch } from '../../wire.ts'
import type { ShownAttempt, ShownPerson } from '../batch/batch-model.ts'
import type { PeoplePage, PeopleQuery } from '../batch/people-loader.ts'
import { isUnanswered } from '../page-model.ts'
import { listStatuses } from './shown-record.ts'

export interface SandboxCall {
  readonly record: CallView
  readonly summary: CallSummary
}

/** A batch as far as its calls tell: it has no people without a call. */
export interface CalledBatch {
  readonly name: string
  readonly batch: ShownBatch
  readonly people: readonly ShownPerson[]
}

interface BatchOfCall {
  readonly name: string
  readonly person: string | undefined
  /** 1-based number of the call to this person. */
  readonly attempt: number | undefined
}

/** Reads the batch of a call from its metadata, which is free-form; undefined for a call without one. */
export function readBatchOfCall(metadata: unknown): BatchOfCall | undefined {
  if (!isObject(metadata)) return undefined
  const [name, person, attempt] = ['batch', 'person', 'attempt'].map(field =>
    Object.hasOwn(metadata, field) ? metadata[field] : undefined,
  )
  const batch = toText(name)
  if (batch === undefined) return undefined
  const isNumber = typeof attempt === 'number' && Number.isSafeInteger(attempt) && attempt > 0
  return { name: batch, person: toText(person), attempt: isNumber ? attempt : undefined }
}

function toText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value).trim().slice(0, maxNameLength).toWellFormed()
  return text === '' ? undefined : text
}

const maxNameLength = 200

interface CallOfPerson extends SandboxCall {
  readonly attempt: number | undefined
}

/** Groups calls by batch and person. The batch with the newest call comes first. */
export function listCalledBatches(calls: Iterable<SandboxCall>): CalledBatch[] {
  const batches = new Map<string, Map<string, CallOfPerson[]>>()
  for (const call of calls) {
    const { name, person, attempt } = readBatchOfCall(call.record.metadata) ?? {}
    if (name === undefined) continue
    const people = batches.get(name) ?? new Map<string, CallOfPerson[]>()
    // Deleted first, so that the batch of the newest call becomes the last.
    batches.delete(name)
    batches.set(name, people)
    addToGroup(people, person ?? call.record.customer.number, { ...call, attempt })
  }
  return [...batches].reverse().map(([name, people]) => toCalledBatch(name, people))
}

function toCalledBatch(name: string, calls: ReadonlyMap<string, CallOfPerson[]>): CalledBatch {
  const people = [...calls].map(([id, own]) => toPerson(id, own))
  const live = [...calls].flatMap(([id, own]) => own.filter(isLive).map(call => toLiveCall(id, call)))
  const attempts = people.flatMap(person => person.attempts)
  return {
    name,
    people,
    batch: {
      name,
      service: '',
      isSandbox: true,
      assistant: '',
      people: people.length,
      counts: countStatuses(people),
      done: people.filter(({ status }) => status !== calling).length,
      calls: attempts.length,
      seconds: attempts.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0),
      live,
      liveTotal: live.length,
      pause: null,
      remainingMs: null,
      version: 0,
    },
  }
}

/** Shown while no call belongs to one. */
export const noBatch: CalledBatch = toCalledBatch('Batches', new Map())

const calling = 'calling'

function isLive({ summary }: SandboxCall): boolean {
  return !summary.finished
}

function toPerson(id: string, calls: readonly CallOfPerson[]): ShownPerson {
  const attempts = [...calls].sort(byAttempt).map(toAttempt)
  return {
    id,
    numbers: [...new Set(attempts.map(({ number }) => number))],
    status: calls.some(isLive) ? calling : (attempts.at(-1)?.outcome ?? ''),
    nextAt: null,
    attempts,
  }
}

function byAttempt(one: CallOfPerson, other: CallOfPerson): number {
  const byNumber = (one.attempt ?? 0) - (other.attempt ?? 0)
  const isNumbered = one.attempt !== undefined && other.attempt !== undefined
  return isNumbered && byNumber !== 0 ? byNumber : startOf(one) - startOf(other)
}

function startOf({ record }: SandboxCall): number {
  return readDateTime(record.createdAt) ?? 0
}

function toAttempt(call: SandboxCall): ShownAttempt {
  const { record, summary } = call
  const [startAt, endAt] = [record.startAt, record.endAt].map(readDateTime)
  const outcome = summary.outcome ?? calling
  const reason = isUnanswered(summary) ? readUnansweredStatus(listStatuses(record)) : undefined
  const summaryField = record.analysis?.summary
  return {
    at: startOf(call),
    number: summary.userNumber ?? '',
    from: summary.assistantNumber ?? '',
    kind: null,
    call: record.id,
    outcome,
    seconds: startAt === undefined || endAt === undefined ? null : Math.max(0, endAt - startAt) / 1000,
    endedBy: record.callEndTriggerBy ?? null,
    reason: reason === undefined ? null : unansweredReasons[reason],
    summary: typeof summaryField === 'string' ? summaryField.slice(0, maxSummaryLength) : null,
  }
}

const maxSummaryLength = 2000

function toLiveCall(person: string, { record, summary }: CallOfPerson): LiveBatchCall {
  const isRinging = record.phoneCallStatus === 'ringing'
  return {
    person,
    number: summary.userNumber ?? '',
    from: summary.assistantNumber ?? '',
    call: record.id,
    phase: record.status === 'ongoing' ? 'talking' : isRinging ? 'ringing' : 'queued',
    startedAt: readDateTime(record.startAt ?? record.createdAt) ?? 0,
    last: summary.last,
  }
}

/** Order of the statuses. */
const order: readonly string[] = [calling, ...callOutcomes]

function countStatuses(people: readonly ShownPerson[]): StatusCount[] {
  return Array.from(
    countBy(people, ({ status }) => status),
    ([status, number]) => ({ status, people: number }),
  ).sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status))
}

/** Returns a page of the people who match a query. */
export function findPeople(people: readonly ShownPerson[], query: PeopleQuery): PeoplePage {
  const { status, search, from, limit } = query
  const matching = people.filter(
    person =>
      (status === undefined || person.status === status) &&
      [person.id, ...person.numbers].some(text => text.toLowerCase().includes(search.toLowerCase())),
  )
  return { total: matching.length, rows: matching.slice(from, from + limit) }
}
