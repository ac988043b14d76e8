import { randomUUID } from 'node:crypto'
import { hasKnownOutcome } from '../api/index.ts'
import type { Clock } from '../lib/clock.ts'
import { CallwrightError, getErrorReason } from '../lib/error.ts'
import type { BatchJournal } from './batch-journal.ts'
import type { Person } from './contacts.ts'
import { type BatchPlan, intervalOf, type PlanInput, type Sender, sendersOf } from './plan.ts'
import { statusOf } from './state.ts'
import { createWindow } from './window.ts'

/** Why a run ended. */
export type RunEnd =
  | 'done'
  /** The signal: a person paused it. */
  | 'paused'
  /** `until`, or no time is left in the window. */
  | 'ended'
  /** `limit.calls`, or the limits of the numbers that calls come from. */
  | 'limit'

export type BatchEvent =
  | {
      readonly kind: 'called'
      readonly person: Person
      readonly from: string
      readonly to: string
      readonly call: string | null
    }
  | {
      readonly kind: 'failed'
      readonly person: Person
      readonly to: string
      readonly outcome: 'rejected' | 'unknown'
      readonly reason: string
    }
  /** `until` is in milliseconds since the epoch. */
  | { readonly kind: 'waiting'; readonly until: number; readonly reason: 'window' | 'rate' | 'busy' }

export interface RunDeps {
  readonly clock: Clock
  /** Pauses the run: the request in progress is awaited. */
  readonly signal: AbortSignal
  readonly journal: BatchJournal
  /** Base URL of the service. */
  readonly service: string
  /** Places a call. @throws CallwrightError of the service or the network */
  call(person: Person, from: string, to: string): Promise<{ readonly id: string | undefined }>
  onEvent(event: BatchEvent): void
}

/** Longest single wait: the clock of the machine may be changed, or the machine suspended. */
const maxWaitMs = 60_000
/** First wait after 429 or 503; it doubles. */
const busyWaitMs = 30_000
const maxBusyWaitMs = 10 * 60_000
/** Calls in a row whose outcome is unknown, or that are rejected: then the service or the settings are wrong, and not the rows. */
const maxInRow = { unknown: 3, rejected: 5 } as const

/**
 * Calls the people of a plan, one request after the other, in the order of the lists and inside their windows (docs/batch-calls.md).
 * Each call is in the journal before its request is sent. A rejected row fails; a service that is busy is waited for.
 * @throws CallwrightError if the service rejects the key or cannot be reached, or after three lost responses or five rejected requests
 * in a row: nobody else is called
 */
export async function runBatch(
  { people, until = Number.POSITIVE_INFINITY }: Pick<BatchPlan, 'people' | 'until'>,
  { batch, file }: Pick<PlanInput, 'batch' | 'file'>,
  deps: RunDeps,
): Promise<RunEnd> {
  const { clock, signal, journal, onEvent } = deps
  const { state } = journal
  const window = createWindow(batch.window ?? {})
  const queues = createQueues(people.filter(person => statusOf(person, state) === 'due'))
  const senders = createSenders(sendersOf(batch), state.senders)
  const interval = intervalOf(batch) ?? 0
  const limit = batch.limit?.calls ?? Number.POSITIVE_INFINITY
  const stamp = () => new Date(clock.now()).toISOString()
  let nextCall = 0
  let busyWait = busyWaitMs
  let inRow = { unknown: 0, rejected: 0 }

  if (state.begun === undefined)
    await journal.append({ step: 'begun', at: stamp(), version: 1, service: deps.service, file })
  /** @returns false if paused meanwhile */
  const wait = async (time: number, reason: 'window' | 'rate' | 'busy'): Promise<boolean> => {
    if (reason !== 'rate') onEvent({ kind: 'waiting', until: time, reason })
    while (clock.now() < time) {
      const rest = Math.min(time - clock.now(), maxWaitMs)
      const isPaused = await clock.sleep(rest, signal).then(
        () => false,
        () => true,
      )
      if (isPaused) return false
    }
    return true
  }

  for (;;) {
    if (signal.aborted) return 'paused'
    if (queues.isEmpty) return 'done'
    if (totalOf(state.senders) >= limit || senders.next() === undefined) return 'limit'
    if (!(await wait(nextCall, 'rate'))) return 'paused'
    const now = clock.now()
    if (now >= until) return 'ended'
    const zone = queues.firstZone(each => window.isOpen(now, each))
    if (zone === undefined) {
      const opens = Math.min(
        ...queues.zones().map(each => window.nextOpen(now, each) ?? Number.POSITIVE_INFINITY),
      )
      if (opens >= until || opens === Number.POSITIVE_INFINITY) return 'ended'
      if (!(await wait(opens, 'window'))) return 'paused'
      continue
    }
    const person = queues.peek(zone)
    const sender = senders.next()
    const to = person?.numbers[0]
    if (person === undefined || sender === undefined || to === undefined) continue
    const attempt = randomUUID()
    await journal.append({
      step: 'calling',
      at: stamp(),
      attempt,
      person: person.id,
      number: to,
      from: sender.number,
    })
    nextCall = Math.max(nextCall, now) + interval
    try {
      const { id = null } = await deps.call(person, sender.number, to)
      await journal.append({ step: 'placed', at: stamp(), attempt, call: id })
      queues.take(zone)
      senders.used()
      inRow = { unknown: 0, rejected: 0 }
      busyWait = busyWaitMs
      onEvent({ kind: 'called', person, from: sender.number, to, call: id })
    } catch (error) {
      const outcome = outcomeOf(error)
      const reason = getErrorReason(error)
      await journal.append({ step: 'failed', at: stamp(), attempt, outcome, reason })
      if (outcome === 'not-sent') {
        if (signal.aborted) return 'paused'
        if (!isBusy(error)) throw error
        if (!(await wait(clock.now() + busyWait, 'busy'))) return 'paused'
        busyWait = Math.min(busyWait * 2, maxBusyWaitMs)
        continue
      }
      queues.take(zone)
      senders.used()
      onEvent({ kind: 'failed', person, to, outcome, reason })
      inRow[outcome] += 1
      if (inRow[outcome] >= maxInRow[outcome]) throw error
    }
  }
}

/** Returns whether a call may have been placed. Not placed and not the fault of its row: it is placed later. */
function outcomeOf(error: unknown): 'not-sent' | 'rejected' | 'unknown' {
  if (!hasKnownOutcome(error)) return 'unknown'
  if (!(error instanceof CallwrightError)) return 'unknown'
  const { outcome } = error.details
  const isRow =
    outcome === 'refused' && error.kind === 'refused' && !isBusy(error) && error.details.status !== 402
  return isRow ? 'rejected' : 'not-sent'
}

function isBusy(error: unknown): boolean {
  return error instanceof CallwrightError && [429, 503].includes(Number(error.details.status))
}

function totalOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, number) => sum + number, 0)
}

/** People by time zone, each in the order of the lists. */
function createQueues(people: readonly Person[]) {
  const byZone = new Map<
    string,
    { readonly people: { readonly person: Person; readonly place: number }[]; first: number }
  >()
  for (const [place, person] of people.entries()) {
    const queue = byZone.get(person.zone)
    if (queue === undefined) byZone.set(person.zone, { people: [{ person, place }], first: 0 })
    else queue.people.push({ person, place })
  }
  const headOf = (zone: string) => {
    const queue = byZone.get(zone)
    return queue?.people[queue.first]
  }
  return {
    get isEmpty() {
      return byZone.size === 0
    },
    zones: () => [...byZone.keys()],
    /** Returns the zone, among those that are open, whose next person is first in the lists. */
    firstZone(isOpen: (zone: string) => boolean): string | undefined {
      const open = [...byZone.keys()].filter(isOpen)
      return open.sort((one, other) => (headOf(one)?.place ?? 0) - (headOf(other)?.place ?? 0))[0]
    },
    peek: (zone: string) => headOf(zone)?.person,
    take(zone: string) {
      const queue = byZone.get(zone)
      if (queue === undefined) return
      queue.first += 1
      if (queue.first >= queue.people.length) byZone.delete(zone)
    },
  }
}

/** The numbers that calls come from, in turn, each up to its limit. */
function createSenders(senders: readonly Sender[], used: ReadonlyMap<string, number>) {
  let turn = 0
  const isFree = ({ number, calls = Number.POSITIVE_INFINITY }: Sender) => (used.get(number) ?? 0) < calls
  return {
    next(): Sender | undefined {
      for (let offset = 0; offset < senders.length; offset += 1) {
        const sender = senders[(turn + offset) % senders.length]
        if (sender !== undefined && isFree(sender)) return sender
      }
      return undefined
    },
    used() {
      turn += 1
    },
  }
}
