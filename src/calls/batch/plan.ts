import type { BatchFile } from '../../files/formats/batch.ts'
import type { Diagnostic, Table } from '../../files/source/index.ts'
import { countBy } from '../../lib/group-by.ts'
import { maxOpenTimeSpanMs } from '../../lib/time-window.ts'
import type { NumberReader } from '../place/index.ts'
import { type Contacts, type FindingLog, type Person, readContacts } from './contacts.ts'
import type { DoNotCallWarning } from './do-not-call.ts'
import { batchFinding } from './findings.ts'
import { historyOf, planNextCall, rulesOf } from './next-call.ts'
import type { Identity } from './refusals.ts'
import type { BatchState } from './state.ts'
import { createWindow, readMoment } from './window.ts'

export interface PlanInput {
  readonly batch: BatchFile
  /** The file of the batch, or what its flags are called: the place of findings about the batch itself. */
  readonly file: string
  readonly tables: readonly Table[]
  readonly listWarnings?: readonly Diagnostic[]
  readonly readNumber: NumberReader
  /** Number in E.164 form → the file that lists it. */
  readonly doNotCall: ReadonlyMap<string, string>
  /** Entries of do-not-call lists that were read in every way they may be meant. */
  readonly doNotCallWarnings?: readonly DoNotCallWarning[]
  /** Variables in the texts of the assistant; undefined if they are not known here. */
  readonly usedVariables: readonly string[] | undefined
  /** Names among them that the service fills in without a value. */
  readonly optionalVariables?: readonly string[]
  /** Optional ones that the project does not name. */
  readonly expressions?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
  /** True once calls may have been placed: then nobody is left out because the end of the batch is near or has passed. */
  readonly isRunning?: boolean
  /** See ContactOptions. */
  readonly isReport?: boolean
  /** Calls so far. */
  readonly state: BatchState
  /** Maximum duration of a call in minutes, if the assistant has one. */
  readonly maxMinutes?: number | undefined
}

/** Calls of a batch, before any is placed. */
export interface BatchPlan {
  /** Errors that prevent the whole batch. */
  readonly problems: readonly Diagnostic[]
  /** Warnings about the whole batch. */
  readonly warnings: readonly Diagnostic[]
  readonly findings: FindingLog
  readonly rows: number
  readonly people: readonly Person[]
  readonly skipped: Contacts['skipped']
  readonly uncalled: Contacts['uncalled']
  readonly lists: Contacts['lists']
  /** Number of calls within the limits: the first to each person, and with all attempts. */
  readonly calls: { readonly first: number; readonly most: number }
  /**
   * Minutes of these calls: by the average of the calls so far, and at most, by the longest duration of a call and `limit.minutes`.
   * Undefined if unknown.
   */
  readonly minutes: { readonly expected: number | undefined; readonly most: number | undefined }
  /** Callbacks that were promised, earliest first. */
  readonly callbacks: readonly { readonly person: Person; readonly at: number }[]
  /** Number of people who were called. */
  readonly called: number
  /** Time that the calls need at `rate`, in milliseconds; undefined without a rate. */
  readonly leastMs: { readonly first: number; readonly most: number } | undefined
  readonly zones: readonly ZonePlan[]
  /** Milliseconds since the epoch. */
  readonly until: number | undefined
}

/** The people of a time zone, and when they can be called. */
interface ZoneTimes {
  /** Milliseconds since the epoch. */
  readonly opensAt: number
  /** Time in which they can be called before the end of the batch, in milliseconds; undefined without an end, or if it is far. */
  readonly openMs: number | undefined
}

export interface ZonePlan extends ZoneTimes {
  readonly zone: string
  readonly people: number
}

/** Plans a batch (docs/batch-calls.md): checks every row, and computes what can be called when. Pure. */
export function planBatch(input: PlanInput): BatchPlan {
  const { batch, file, tables, state, now, isRunning = false } = input
  const location = { file, position: undefined }
  const window = createWindow(batch.window ?? {})
  const until = endOf(batch)
  const problems: Diagnostic[] = []
  if (until === 'invalid')
    problems.push(
      batchFinding({ ...location, path: ['until'] }, 'not-a-time', { written: batch.until ?? '' }),
    )
  else if (until !== undefined && until <= now && !isRunning)
    problems.push(
      batchFinding({ ...location, path: ['until'] }, 'end-has-passed', { until: batch.until ?? '' }),
    )
  const end = typeof until === 'number' ? until : undefined
  const lastCall = isRunning || end === undefined ? Number.POSITIVE_INFINITY : end

  const opensAt = new Map<string, number | undefined>()
  const opens = (zone: string) => {
    if (!opensAt.has(zone)) {
      const at = window.nextOpen(now, zone)
      opensAt.set(zone, at !== undefined && at < lastCall ? at : undefined)
    }
    return opensAt.get(zone)
  }
  // An end that has passed is one problem, and not one of each row.
  const canCall = (zone: string) => problems.length > 0 || opens(zone) !== undefined
  const rules = rulesOf(batch)
  const isKnown = (person: Identity) => historyOf(person, state).length > 0
  const contacts = readContacts(tables, {
    ...{ ...input, canCall, isKnown, hasCalls: state.attempts.size > 0 },
    isCalledAgain: person => planNextCall(person, state, rules) !== undefined,
  })
  problems.push(...contacts.problems)

  const { people } = contacts
  const senders = sendersOf(batch)
  const limits = [
    { limit: 'limit.calls' as const, calls: batch.limit?.calls ?? Number.POSITIVE_INFINITY },
    {
      limit: 'from' as const,
      calls: senders.reduce((sum, { calls = Number.POSITIVE_INFINITY }) => sum + calls, 0),
    },
  ]
  const most = Math.min(people.length * rules.attempts, ...limits.map(({ calls }) => calls))
  const calls = { first: Math.min(people.length, most), most }
  const intervalMs = intervalOf(batch)
  return {
    ...contacts,
    problems,
    warnings: [
      ...(batch.window === undefined
        ? [batchFinding({ ...location, severity: 'warning' }, 'no-window')]
        : []),
      ...limits.flatMap(({ limit, calls }) =>
        calls < people.length
          ? [
              batchFinding({ ...location, severity: 'warning' }, 'fewer-calls-than-people', {
                limit,
                calls,
                people: people.length,
              }),
            ]
          : [],
      ),
      ...tables.flatMap(({ warnings = [] }) => warnings),
      ...(input.listWarnings ?? []),
      ...unusedColumns(contacts.lists, input.usedVariables),
      ...leftToService(contacts.lists, input),
    ],
    minutes: minutesOf(calls, batch, state, input.maxMinutes),
    callbacks: people
      .flatMap(person => {
        const next = planNextCall(person, state, rules)
        return next?.kind === 'callback' ? [{ person, at: next.at }] : []
      })
      .sort((one, other) => one.at - other.at),
    called: people.filter(isKnown).length,
    rows: tables.reduce((sum, { rows }) => sum + rows.length, 0),
    calls,
    leastMs:
      intervalMs === undefined
        ? undefined
        : { first: calls.first * intervalMs, most: calls.most * intervalMs },
    zones: planZones(people, zone => {
      const at = opens(zone) ?? now
      const isMeasured = end !== undefined && end - at <= maxOpenTimeSpanMs
      return { opensAt: at, openMs: isMeasured ? window.openTime(at, end, zone) : undefined }
    }),
    until: end,
  }
}

function minutesOf(
  { first, most }: BatchPlan['calls'],
  { limit }: BatchFile,
  { seconds, finished }: BatchState,
  maxMinutes = Number.POSITIVE_INFINITY,
): BatchPlan['minutes'] {
  const atMost = Math.min(most * maxMinutes, limit?.minutes ?? Number.POSITIVE_INFINITY)
  return {
    expected: seconds === 0 || finished === 0 ? undefined : (first * seconds) / finished / 60,
    most: Number.isFinite(atMost) ? atMost : undefined,
  }
}

export interface Sender {
  readonly number: string
  /** Maximum number of calls from it. */
  readonly calls?: number | undefined
}

/** Returns the numbers that calls come from. */
export function sendersOf({ from }: BatchFile): readonly Sender[] {
  return [from].flat().map(sender => (typeof sender === 'string' ? { number: sender } : sender))
}

function endOf({ until }: BatchFile): number | 'invalid' | undefined {
  if (until === undefined) return undefined
  try {
    return readMoment(until)
  } catch {
    return 'invalid'
  }
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000 }

/** Milliseconds between the beginnings of two calls; undefined without a rate. */
export function intervalOf({ rate }: BatchFile): number | undefined {
  if (rate === undefined) return undefined
  const [calls = '', unit = ''] = rate.split('/')
  return (unitsMs[unit] ?? 0) / Number(calls)
}

function planZones(people: readonly Person[], plan: (zone: string) => ZoneTimes): ZonePlan[] {
  const counts = countBy(people, ({ zone }) => zone)
  return [...counts]
    .map(([zone, number]) => ({ zone, people: number, ...plan(zone) }))
    .sort((one, other) => one.opensAt - other.opensAt || other.people - one.people)
}

/** Returns the warning of expressions that no column and no variable of the batch fills in. */
function leftToService(lists: Contacts['lists'], { batch, file, expressions = [] }: PlanInput): Diagnostic[] {
  const left = expressions.filter(
    name => !Object.hasOwn(batch.variables ?? {}, name) && !lists.some(({ map }) => map.variables.has(name)),
  )
  const location = { file, position: undefined, severity: 'warning' } as const
  return left.length === 0 ? [] : [batchFinding(location, 'left-to-service', { expressions: left })]
}

/** Columns that no text of the assistant uses. */
function unusedColumns(lists: Contacts['lists'], used: readonly string[] | undefined): Diagnostic[] {
  if (used === undefined) return []
  return lists.flatMap(({ table, map }) => {
    const indices = new Set<number | undefined>(used.flatMap(variable => map.variables.get(variable) ?? []))
    for (const index of [map.name, ...map.consent, ...map.doNotCall]) indices.add(index)
    return [...new Set(map.variables.values())]
      .filter(index => !indices.has(index))
      .map(index =>
        batchFinding(
          { file: table.file, position: { line: 1, column: 1 }, severity: 'warning', at: 'key' },
          'unused-column',
          { column: table.columns[index] ?? '', used: [...used] },
        ),
      )
  })
}
