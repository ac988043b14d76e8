import { randomInt } from 'node:crypto'
import { createIds, seededRandom } from '../lib/deterministic.ts'
import { createSandboxClock, type SandboxClockOptions } from './clock/sandbox-clock.ts'
import type { SandboxClock, WorldClock } from './clock/world-clock.ts'
import type { WorldEvent } from './events.ts'
import { createFaults, type FaultyRequest } from './faults/fault-rules.ts'
import { notWritten, openRecords } from './records/records.ts'
import { createRequestHistory } from './records/request-history.ts'
import { readSnapshot, type SandboxSnapshot, toSnapshot } from './records/snapshot.ts'
import { forkStore, type RecordStore } from './records/store.ts'
import { createWebhookHistory } from './webhooks/webhook-history.ts'
import type { SharedRecords, WorldOptions } from './world-options.ts'
import { openWorldSession, type RunCounters } from './world-session.ts'

/** World of one API key: its records, its calls, and their webhooks. */
export type World = Awaited<ReturnType<typeof openWorld>>

/** @throws `bad-pace`, and errors of `openJournal` */
export async function openWorld(options: WorldOptions) {
  const { pace, frozen = false, vocabulary = {}, log = () => {} } = options
  const seed = options.seed ?? seedAt(pace)
  const newTeamId = createIds({
    seed: seed === undefined ? undefined : `team ${seed}`,
    isTaken: id => options.isTeamTaken?.(`team-${id}`) === true,
  })
  const { store: shared, indices = new WeakMap() }: Partial<SharedRecords> = options.records ?? {}
  const { store, team, journal } = await openRecords({
    ...options,
    store: shared && forkStore(shared),
    newTeamId: () => options.teamId ?? `team-${newTeamId()}`,
  })
  const subscribers = new Set<(event: WorldEvent) => void>()
  const emit = (event: WorldEvent) => {
    for (const onEvent of subscribers) onEvent(event)
  }
  const onChange = () => emit({ kind: 'clock' })
  const openClock = (how: Omit<SandboxClockOptions, 'clock' | 'onChange'>) =>
    createSandboxClock({ clock: options.clock, onChange, ...how })
  const isReal = pace > 0 && !frozen
  const savedCounters = store.counters()
  const savedTime = savedCounters === undefined || isReal ? undefined : Date.parse(savedCounters.now)
  const random = seededRandom(seed ?? randomInt(2 ** 32))
  const faults = createFaults({
    rules: [options.webhookFaults, options.httpFaults].filter(rule => rule !== undefined),
    random,
    onChange: () => emit({ kind: 'faults' }),
  })
  const requests = createRequestHistory(request => emit({ kind: 'request', request }))
  const webhooks = createWebhookHistory(read => {
    if (subscribers.size > 0) emit({ kind: 'webhook', webhook: read() })
  })
  const run = (store: RecordStore, { ids, requests }: RunCounters, time: WorldClock) =>
    openWorldSession({
      ...options,
      ...{ opened: { store, team, journal }, counters: { ids, requests }, time, faults, random, seed },
      indices,
      vocabulary,
      log,
      history: webhooks,
      observe(observation) {
        options.observe?.(observation)
        emit({ kind: 'call', observation })
      },
    })
  const firstCounters = savedCounters ?? { ids: 0, requests: 0 }
  const startsAt = savedTime ?? options.startsAt
  let current = run(store, firstCounters, openClock({ latest: store.latest(), startsAt, pace, frozen }))
  let origin = { counters: firstCounters, now: current.time.now(), store: forkStore(store) }
  let closings: Promise<unknown> = Promise.resolve()
  /** Ends the session and opens the next one, with these records, counters and clock. */
  const replaceSession = async (
    next: RecordStore,
    counters: RunCounters,
    time: { readonly startsAt: number; readonly pace: number; readonly frozen: boolean },
    onDone: () => void,
  ) => {
    next.apply({ kind: 'counters', counters: { ...counters, now: toIso(time.startsAt) } })
    next.apply(team)
    const switchSession = () => {
      closings = Promise.all([closings, current.drop()])
      current = run(next, counters, openClock(time))
      onChange()
      onDone()
    }
    try {
      await journal.replace(next, switchSession)
    } catch (error) {
      throw notWritten(error, log)
    }
  }
  return {
    team,
    vocabulary,
    serviceVariables: options.serviceVariables,
    /** Current clock, like store, resources and calls: a reset or restore replaces them. */
    get clock(): SandboxClock {
      return current.time
    },
    get store() {
      return current.records.store
    },
    get resources() {
      return current.resources
    },
    get calls() {
      return current.calls
    },
    indices,
    faults,
    requests,
    webhooks,
    nextRequestFault(request: Omit<FaultyRequest, 'ordinal'>) {
      const ordinal = current.counters.requests
      current.counters.requests += 1
      return faults.ofRequest({ ...request, ordinal })
    },
    snapshot: (): SandboxSnapshot =>
      toSnapshot(current.records.store, { ...current.counters, now: toIso(current.time.now()) }),
    /**
     * Restores a snapshot: the same requests get the same ids and times as after it was taken. Calls in progress are dropped without
     * further webhooks or records. Faults, the list of requests and the pace are kept.
     * @throws Problem 422 for an invalid snapshot, 507 if the journal cannot be written; nothing changes then
     */
    async restore(snapshot: unknown) {
      const { sandboxAssistantSchema } = await import('./call/call-config.ts')
      const { store, counters } = readSnapshot(snapshot, team, sandboxAssistantSchema())
      const { pace, frozen } = current.time
      const time = { startsAt: Date.parse(counters.now), pace, frozen }
      await replaceSession(store, counters, time, () => emit({ kind: 'restored' }))
    },
    /**
     * Restores the initial records, faults and clock, and clears the list of requests. Calls in progress are dropped, as by restore. In
     * memory it is done when the function returns.
     * @throws Problem 507 if the journal cannot be written; nothing changes then
     */
    async reset() {
      // A clock that runs with the machine's is not set back.
      const startsAt = isReal ? Math.max(origin.now, options.clock.now()) : origin.now
      await replaceSession(forkStore(origin.store), origin.counters, { startsAt, pace, frozen }, () => {
        faults.reset()
        requests.clear()
        webhooks.clear()
        emit({ kind: 'reset' })
      })
    },
    /** From here on, a reset leads back to now: for records that are made before the world is used. */
    setResetPoint() {
      const { counters, records, time } = current
      origin = { counters: { ...counters }, now: time.now(), store: forkStore(records.store) }
    },
    /** Calls back with what happens, until the function that it returns is called. */
    subscribe(onEvent: (event: WorldEvent) => void) {
      // Not the function itself: the same one may be subscribed twice.
      const subscriber = (event: WorldEvent) => onEvent(event)
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    /** Resolves when no call runs and no webhook waits. */
    idle: () => current.idle(),
    /** Ends all calls, sends the webhooks that wait (for at most five seconds) and closes the journal. */
    async close() {
      options.onClose?.(team)
      await current.close()
      await closings
      await journal.close()
      emit({ kind: 'closed' })
    },
  }
}

/** Without waiting nothing depends on the clock: then nothing is left to chance either. */
export function seedAt(pace: number): number | undefined {
  return pace === 0 ? 0 : undefined
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
