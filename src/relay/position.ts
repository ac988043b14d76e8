import * as z from 'zod/mini'

/** Sequences from the first to the last. */
const rangeSchema = z.readonly(z.tuple([z.int(), z.int()]))

/** Progress of a name in a partition. */
export const readerPositionSchema = z.object({
  /** First sequence that the name was to read. */
  start: z.int(),
  /** Every event before it is done. */
  next: z.int(),
  /** Later events that are done too, because calls do not wait for each other. */
  done: z.array(rangeSchema),
})

export type ReaderPosition = z.infer<typeof readerPositionSchema>

export type PositionTracker = ReturnType<typeof createPositionTracker>

/** Tracks which events of a partition are done. Events are taken in order and done in any order. */
export function createPositionTracker({ start, next, done }: ReaderPosition) {
  /** Events from the first that is not done, in order. */
  const pendingEvents: { readonly sequence: number; isDone: boolean }[] = []
  const open = new Map<number, { isDone: boolean }>()
  /** First sequence that was not taken. */
  let unread = next
  const dropDone = () => {
    const first = pendingEvents.findIndex(({ isDone }) => !isDone)
    pendingEvents.splice(0, first === -1 ? pendingEvents.length : first)
  }
  const isDoneBefore = (sequence: number) =>
    done.some(([first, last]) => first <= sequence && sequence <= last)
  return {
    /** True if the event was taken, or if an earlier process has done it. */
    has: (sequence: number) => sequence < unread || isDoneBefore(sequence),
    add(sequence: number): void {
      if (sequence < unread) return
      unread = sequence + 1
      const event = { sequence, isDone: isDoneBefore(sequence) }
      pendingEvents.push(event)
      if (event.isDone) dropDone()
      else open.set(sequence, event)
    },
    /** Notes that an event is done. */
    finish(sequence: number): void {
      const event = open.get(sequence)
      if (event === undefined) return
      event.isDone = true
      open.delete(sequence)
      if (pendingEvents[0] === event) dropDone()
    },
    /** Skips to a sequence: the partition has no events before it that are still to be taken. */
    skipTo(sequence: number): void {
      unread = Math.max(unread, sequence)
    },
    /** First sequence that was not taken. */
    get unread() {
      return unread
    },
    /** Events that were taken and are not done. */
    get inFlight() {
      return open.size
    },
    /** The position to save. */
    position(): ReaderPosition {
      const [first] = pendingEvents
      const ranges: [number, number][] = []
      let isContinued = false
      for (const { sequence, isDone } of pendingEvents) {
        const last = ranges.at(-1)
        if (isDone && isContinued && last !== undefined) last[1] = sequence
        else if (isDone) ranges.push([sequence, sequence])
        isContinued = isDone
      }
      // What an earlier process has done and this one has not reached yet.
      const ahead = done.flatMap(([from, to]): [number, number][] =>
        to < unread ? [] : [[Math.max(from, unread), to]],
      )
      return { start, next: first?.sequence ?? unread, done: [...ranges, ...ahead] }
    },
  }
}
