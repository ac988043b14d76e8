import { type DifferenceCategory, differenceCategories } from '../../files/formats/differences.ts'
import { type CallDifference, type DifferenceKind, groupKey, isDrift } from './compare-outlines.ts'
import type { FailedReplay, NotReplayed, ReplayedCall } from './replayed-call.ts'

export interface DifferenceGroup {
  readonly difference: DifferenceKind
  /** Sorted by id. */
  readonly calls: readonly DifferentCall[]
  /** One of the calls, without drift if possible. */
  readonly example: ReplayedCall
  readonly turn: number | undefined
}

export interface DifferentCall {
  readonly id: string
  /** Turn in which the difference shows first; undefined for the whole call. */
  readonly turn: number | undefined
  /** True if the replay on the deployed files already differs from the recording there. */
  readonly isDrift: boolean
}

export interface ReplaySummary {
  /** Number of calls that were replayed on both versions. */
  readonly compared: number
  /** Number of these calls with a difference. */
  readonly changed: number
  /** Number of calls with a difference, by category. */
  readonly changes: CategoryCounts
  /** Number of calls whose replay on the deployed files differs from the recording, by category. */
  readonly drift: CategoryCounts
  /** The most frequent first. */
  readonly groups: readonly DifferenceGroup[]
  /** Sorted by the number of calls. */
  readonly notReplayed: readonly NotReplayedGroup[]
}

type CategoryCounts = Record<DifferenceCategory, number>

interface NotReplayedGroup {
  readonly reason: NotReplayed | FailedReplay
  readonly calls: string[]
}

interface OpenGroup {
  readonly difference: DifferenceKind
  readonly calls: DifferentCall[]
  example: ReplayedCall
  entry: DifferentCall
}

/** Collects the replays of any number of calls. Keeps one example per group. The summary does not depend on the order of calls. */
export function createDifferenceCollector() {
  const groups = new Map<string, OpenGroup>()
  const notReplayed = new Map<string, NotReplayedGroup>()
  const drift = createTally()
  const changes = createTally()
  let compared = 0
  let changedCalls = 0
  return {
    addReplay(call: ReplayedCall): void {
      compared += 1
      if (call.differences.length > 0) changedCalls += 1
      drift.add(call.drift)
      changes.add(call.differences)
      const keys = new Set<string>()
      // An analysis follows from the conversation.
      const own = call.differences.filter(({ category }) => category !== 'analysis')
      for (const { turn, ...difference } of own.length > 0 ? own : call.differences) {
        const key = groupKey(difference)
        if (keys.has(key)) continue
        keys.add(key)
        const entry = {
          id: call.id,
          turn,
          isDrift: isDrift({ ...difference, turn } as CallDifference, call.drift),
        }
        const group = groups.get(key)
        if (group === undefined) groups.set(key, { difference, calls: [entry], example: call, entry })
        else {
          group.calls.push(entry)
          if (compareExamples(entry, group.entry) < 0) Object.assign(group, { example: call, entry })
        }
      }
    },
    addNotReplayed(id: string, reason: NotReplayed | FailedReplay): void {
      const key = JSON.stringify(reason)
      const group = notReplayed.get(key) ?? { reason, calls: [] }
      notReplayed.set(key, group)
      group.calls.push(id)
    },
    summary: (): ReplaySummary => ({
      compared,
      changed: changedCalls,
      changes: changes.counts(),
      drift: drift.counts(),
      groups: [...groups]
        .map(toGroup)
        .sort(compareGroups)
        .map(([, group]) => group),
      notReplayed: [...notReplayed]
        .map(([key, { reason, calls }]) => ({ key, reason, calls: calls.toSorted() }))
        .sort((one, other) => other.calls.length - one.calls.length || compareTexts(one.key, other.key))
        .map(({ reason, calls }) => ({ reason, calls })),
    }),
  }
}

function createTally() {
  const counts = Object.fromEntries(differenceCategories.map(category => [category, 0])) as CategoryCounts
  return {
    add(differences: readonly CallDifference[]): void {
      for (const category of new Set(differences.map(difference => difference.category)))
        counts[category] += 1
    },
    counts: () => ({ ...counts }),
  }
}

function compareExamples(one: DifferentCall, other: DifferentCall): number {
  return Number(one.isDrift) - Number(other.isDrift) || compareTexts(one.id, other.id)
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function toGroup([key, { difference, calls, example, entry }]: [string, OpenGroup]): [
  string,
  DifferenceGroup,
] {
  const sorted = calls.toSorted((one, other) => compareTexts(one.id, other.id))
  return [key, { difference, calls: sorted, example, turn: entry.turn }]
}

function compareGroups([one, a]: [string, DifferenceGroup], [other, b]: [string, DifferenceGroup]): number {
  const rank = ({ difference }: DifferenceGroup) => differenceCategories.indexOf(difference.category)
  return b.calls.length - a.calls.length || rank(a) - rank(b) || compareTexts(one, other)
}
