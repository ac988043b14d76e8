import TinyQueue from 'tinyqueue'
import type { Person } from './contacts.ts'

/** A person in the schedule. */
export interface ScheduledPerson {
  readonly person: Person
  /** Milliseconds since the epoch; 0 for as soon as possible. */
  readonly at: number
  /** Index in the lists. */
  readonly index: number
  isRemoved: boolean
}

/** The people of a time zone. */
interface ZoneQueue {
  /** People who are called as soon as possible, in the order of the lists. */
  readonly fresh: ScheduledPerson[]
  /** Index of the first one that is left. */
  first: number
  readonly planned: TinyQueue<ScheduledPerson>
}

/**
 * Orders people by the time of their next call. Among those who can be called now, planned calls come first, by their time, then the
 * others in the order of the lists.
 */
export function createSchedule() {
  const zones = new Map<string, ZoneQueue>()
  let size = 0

  const queueOf = (zone: string) => {
    const queue = zones.get(zone) ?? {
      ...{ fresh: [], first: 0 },
      planned: new TinyQueue<ScheduledPerson>(
        [],
        (one, other) => one.at - other.at || one.index - other.index,
      ),
    }
    zones.set(zone, queue)
    return queue
  }
  /** Drops people at the head who were removed. */
  const prune = (queue: ZoneQueue) => {
    while (queue.fresh[queue.first]?.isRemoved === true) queue.first += 1
    while (queue.planned.peek()?.isRemoved === true) queue.planned.pop()
  }
  const plannedAt = ({ planned }: ZoneQueue, now: number) => {
    const head = planned.peek()
    return head !== undefined && head.at <= now ? head : undefined
  }
  /** Returns the zone with the person to call first, among those that are open. */
  const firstZone = (now: number, isOpen: (zone: string) => boolean) => {
    let best: { readonly queue: ZoneQueue; readonly at: number; readonly index: number } | undefined
    for (const [zone, queue] of zones) {
      prune(queue)
      const planned = plannedAt(queue, now)
      const head = planned ?? queue.fresh[queue.first]
      if (head === undefined || !isOpen(zone)) continue
      const at = planned?.at ?? Number.POSITIVE_INFINITY
      if (best === undefined || at < best.at || (at === best.at && head.index < best.index))
        best = { queue, at, index: head.index }
    }
    return best?.queue
  }
  return {
    /** Number of people who are waiting. */
    get size() {
      return size
    },
    /** Adds a person whose next call is at this time, 0 for as soon as possible. */
    add(person: Person, index: number, at: number): ScheduledPerson {
      const { fresh, planned } = queueOf(person.zone)
      const scheduled = { person, at, index, isRemoved: false }
      if (at > 0) planned.push(scheduled)
      else fresh.push(scheduled)
      size += 1
      return scheduled
    },
    /** Removes a person whom nobody takes. */
    remove(scheduled: ScheduledPerson): void {
      scheduled.isRemoved = true
      size -= 1
    },
    /** Takes the person to call first. Returns undefined if nobody can be called now. */
    take(now: number, isOpen: (zone: string) => boolean): { readonly person: Person } | undefined {
      const queue = firstZone(now, isOpen)
      if (queue === undefined) return undefined
      size -= 1
      if (plannedAt(queue, now) !== undefined) return queue.planned.pop()
      const scheduled = queue.fresh[queue.first]
      queue.first += 1
      return scheduled
    },
    /** Adds a person again, before all others who are called as soon as possible. */
    requeue(person: Person, index: number, at: number): ScheduledPerson {
      const queue = queueOf(person.zone)
      const scheduled = { person, at, index, isRemoved: false }
      if (at > 0) queue.planned.push(scheduled)
      else if (queue.first === 0) queue.fresh.unshift(scheduled)
      else {
        queue.first -= 1
        queue.fresh[queue.first] = scheduled
      }
      size += 1
      return scheduled
    },
    /** Returns up to `count` people who are called as soon as possible in a time zone, without taking them. */
    upcoming(zone: string, count: number): readonly Person[] {
      const queue = zones.get(zone)
      if (queue === undefined) return []
      return queue.fresh
        .slice(queue.first, queue.first + count)
        .flatMap(({ person, isRemoved }) => (isRemoved ? [] : [person]))
    },
    /** Returns the first time at which somebody can be called, by when each zone is open; undefined if there is none. */
    nextTime(
      now: number,
      nextOpen: (from: number, zone: string) => number | undefined,
    ): { readonly at: number; readonly isPlanned: boolean } | undefined {
      let next: { readonly at: number; readonly isPlanned: boolean } | undefined
      for (const [zone, queue] of zones) {
        prune(queue)
        const { fresh, first, planned } = queue
        const isFresh = first < fresh.length
        const head = planned.peek()?.at
        if (!isFresh && head === undefined) continue
        const from = isFresh ? now : Math.max(now, head ?? now)
        const at = nextOpen(from, zone)
        if (at !== undefined && (next === undefined || at < next.at)) next = { at, isPlanned: at === from }
      }
      return next
    },
  }
}
