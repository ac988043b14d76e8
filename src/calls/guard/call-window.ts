import type { CallKey } from '../../events/conversation/index.ts'
import { maxGuardedCalls } from '../../files/formats/guard.ts'
import type { CallFacts } from '../report/index.ts'
import type { GuardRule } from './guard-rule.ts'

export interface GuardedCall {
  readonly key: CallKey
  readonly endedAt: number
  readonly facts: CallFacts
  /** True if its events are no longer in memory, because many calls have ended since. */
  readonly isPartial: boolean
}

export type GuardedWindow = ReturnType<typeof createCallWindow>

/** Keeps ended calls, in the order of their ends, as long as a rule needs them; at most the last `maxGuardedCalls`. */
export function createCallWindow(rules: readonly GuardRule[], forget: (key: CallKey) => void) {
  let calls: GuardedCall[] = []
  /** Indexes by key, from the first call that ever was. */
  const indexes = new Map<CallKey, number>()
  let removed = 0
  const [maxMs, maxCalls] = needsOf(rules)

  const trim = (at: number) => {
    const firstByCount = calls.length - maxCalls
    const firstKept = calls.findIndex(({ endedAt }, index) => index >= firstByCount || endedAt > at - maxMs)
    const count = Math.max(firstKept === -1 ? calls.length : firstKept, calls.length - maxGuardedCalls)
    if (count <= 0) return
    for (const { key } of calls.slice(0, count)) {
      indexes.delete(key)
      forget(key)
    }
    calls = calls.slice(count)
    removed += count
  }
  return {
    find: (key: CallKey): GuardedCall | undefined => calls[(indexes.get(key) ?? Number.NaN) - removed],
    /** Adds a call, or replaces it at its place. */
    add(call: GuardedCall): void {
      const index = indexes.get(call.key)
      if (index !== undefined) {
        calls[index - removed] = call
        return
      }
      indexes.set(call.key, removed + calls.length)
      calls.push(call)
      // Some slack: removing the first of an array moves all others.
      if (calls.length > maxGuardedCalls * 1.1) trim(call.endedAt)
    },
    /** Removes calls that no rule needs at a time or later. */
    trim,
    /** Returns the calls that ended after a time. */
    after(time: number): readonly GuardedCall[] {
      let first = calls.length
      while (first > 0 && (calls[first - 1]?.endedAt ?? 0) > time) first--
      return calls.slice(Math.max(first, calls.length - maxGuardedCalls))
    },
    last: (count: number): readonly GuardedCall[] => calls.slice(-count),
  }
}

/** Returns the longest time and the largest number of calls that rules look back. */
function needsOf(rules: readonly GuardRule[]): [ms: number, calls: number] {
  const windows = rules.flatMap(({ condition }) =>
    condition.kind === 'figure' && condition.window !== undefined ? [condition.window] : [],
  )
  return [
    Math.max(0, ...windows.map(window => (window.kind === 'time' ? window.ms : 0))),
    Math.max(0, ...windows.map(window => (window.kind === 'calls' ? window.calls : 0))),
  ]
}
