import { type PersonStatus, personStatuses } from '../../files/formats/batch.ts'
import type { Person } from './contacts.ts'
import { type CallRules, type NextCall, planNextCall, statusOf } from './next-call.ts'
import { createSchedule, type ScheduledPerson } from './schedule.ts'
import type { BatchState } from './state.ts'

/** Number of people by status. */
export type StatusCounts = Readonly<Record<PersonStatus, number>>

export type CallQueue = ReturnType<typeof createCallQueue>

interface Entry {
  readonly person: Person
  readonly index: number
  status: PersonStatus
  /** Undefined while the person is not in the schedule. */
  scheduled: ScheduledPerson | undefined
}

/** The people of a run: their schedule, and their statuses as the state of the batch changes. */
export function createCallQueue(
  people: readonly Person[],
  state: BatchState,
  rules: CallRules,
  isLive: (id: string) => boolean,
) {
  let entries = new Map<string, Entry>()
  let schedule = createSchedule()
  let counts: Record<PersonStatus, number> = emptyCounts()

  const add = (entry: Entry) => {
    const next = planNextCall(entry.person, state, rules)
    if (next === undefined || entry.scheduled !== undefined || isLive(entry.person.id)) return
    entry.scheduled = schedule.add(entry.person, entry.index, next.at)
  }
  const replace = (list: readonly Person[]) => {
    entries = new Map()
    schedule = createSchedule()
    counts = emptyCounts()
    for (const [index, person] of list.entries()) {
      const entry = { person, index, status: statusOf(person, state, rules), scheduled: undefined }
      entries.set(person.id, entry)
      counts[entry.status] += 1
      add(entry)
    }
  }
  replace(people)
  return {
    /** Number of people whose next call is planned. */
    get size() {
      return schedule.size
    },
    /** Number of people. */
    get total() {
      return entries.size
    },
    get counts(): StatusCounts {
      return counts
    },
    people: (): readonly Person[] => [...entries.values()].map(({ person }) => person),
    get: (id: string): Person | undefined => entries.get(id)?.person,
    /** True for a person whom nobody calls again, as far as is known now. */
    isDone(id: string): boolean {
      const entry = entries.get(id)
      return entry !== undefined && !isLive(id) && planNextCall(entry.person, state, rules) === undefined
    },
    statusOf: (id: string): PersonStatus | undefined => entries.get(id)?.status,
    nextCall(id: string): NextCall | undefined {
      const entry = entries.get(id)
      return entry && planNextCall(entry.person, state, rules)
    },
    /** Puts other people in their place. */
    replace,
    /** Rebuilds the schedule after a request that may affect many people. */
    rebuild: () => replace([...entries.values()].map(({ person }) => person)),
    /** Applies a change of a person. */
    refresh(id: string): void {
      const entry = entries.get(id)
      if (entry === undefined) return
      counts[entry.status] -= 1
      entry.status = statusOf(entry.person, state, rules)
      counts[entry.status] += 1
      add(entry)
    },
    /** Takes the person to call first; undefined if nobody can be called now. */
    take(now: number, isOpen: (zone: string) => boolean): Person | undefined {
      const scheduled = schedule.take(now, isOpen)
      const entry = scheduled && entries.get(scheduled.person.id)
      if (entry !== undefined) entry.scheduled = undefined
      return scheduled?.person
    },
    /** Puts a person back who was not called after all. */
    requeue(id: string): void {
      const entry = entries.get(id)
      const next = entry && planNextCall(entry.person, state, rules)
      if (entry === undefined || next === undefined || entry.scheduled !== undefined) return
      entry.scheduled = schedule.requeue(entry.person, entry.index, next.at)
    },
    /** Removes a person who is being called from the schedule. */
    withdraw(id: string): void {
      const entry = entries.get(id)
      if (entry?.scheduled === undefined) return
      schedule.remove(entry.scheduled)
      entry.scheduled = undefined
    },
    upcoming: (zone: string, count: number): readonly Person[] => schedule.upcoming(zone, count),
    nextTime: (now: number, nextOpen: (from: number, zone: string) => number | undefined) =>
      schedule.nextTime(now, nextOpen),
  }
}

function emptyCounts(): Record<PersonStatus, number> {
  return Object.fromEntries(personStatuses.map(status => [status, 0])) as Record<PersonStatus, number>
}

export function countStatuses(people: readonly Person[], state: BatchState, rules: CallRules): StatusCounts {
  const counts = emptyCounts()
  for (const person of people) counts[statusOf(person, state, rules)] += 1
  return counts
}
