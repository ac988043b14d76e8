import { partitionOf } from '../../../src/relay/subjects.ts'

export interface Shown {
  readonly call: string
  /** Number of the message in its call, from 1. */
  readonly message: number
  /** Process of a tail. */
  readonly by: string
}

export type Ledger = ReturnType<typeof createLedger>

/** Notes which messages the tails of one name print, in the order of their lines. */
export function createLedger() {
  const calls = new Map<string, { readonly by: Map<number, string>; last: number }>()
  const lastOfProcess = new Map<string, number>()
  const times = new Map<string, number[]>()
  const repeats: (Shown & { readonly before: string })[] = []
  let messages = 0
  let disordered = 0
  return {
    add({ call, message, by }: Shown, at: number) {
      const known = calls.get(call) ?? { by: new Map<number, string>(), last: 0 }
      calls.set(call, known)
      const own = `${by} ${call}`
      const before = known.by.get(message)
      if (before !== undefined) repeats.push({ call, message, by, before })
      else {
        messages++
        known.by.set(message, by)
        if (message < known.last) disordered++
        known.last = Math.max(known.last, message)
      }
      if (message <= (lastOfProcess.get(own) ?? 0)) disordered++
      lastOfProcess.set(own, message)
      const partition = partitionOf(call)
      const seen = times.get(partition)
      if (seen === undefined) times.set(partition, [at])
      else seen.push(at)
    },
    /** Distinct messages. */
    messages: () => messages,
    /** Messages that a process printed before an earlier one of their call, or twice. */
    disordered: () => disordered,
    repeats: (): readonly (Shown & { readonly before: string })[] => repeats,
    /** The longest time, in milliseconds, in which a partition got nothing, within a window. */
    longestPause(from: number, until: number): number {
      let longest = 0
      for (const all of times.values()) {
        let before = from
        for (const at of all) {
          if (at > until) break
          if (at > from) longest = Math.max(longest, at - before)
          before = Math.max(before, at)
        }
        longest = Math.max(longest, until - before)
      }
      return longest
    },
  }
}
