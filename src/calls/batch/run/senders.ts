import type { Sender } from '../plan.ts'

/** The numbers that calls come from, in turn, each up to its limit. `used` is the number of calls from each, and changes with them. */
export function createSenders(senders: readonly Sender[], used: ReadonlyMap<string, number>) {
  let turn = 0
  const isFree = ({ number, calls = Number.POSITIVE_INFINITY }: Sender) => (used.get(number) ?? 0) < calls
  return {
    /** Returns the number of the next call; undefined if all limits are reached. */
    next(): Sender | undefined {
      for (let offset = 0; offset < senders.length; offset += 1) {
        const sender = senders[(turn + offset) % senders.length]
        if (sender !== undefined && isFree(sender)) return sender
      }
      return undefined
    },
    /** The next call comes from the number after this one. */
    advance(): void {
      turn += 1
    },
  }
}
