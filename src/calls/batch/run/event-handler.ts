import Queue from 'yocto-queue'
import type { BatchFile } from '../../../files/formats/batch.ts'
import { type CallFeed, type CallUpdate, findOptOut } from '../../outcomes/index.ts'
import type { CallQueue } from '../queue.ts'
import type { BatchStep, CallAttempt } from '../state.ts'
import { maxClockErrorMs } from './clock-error.ts'
import type { OptOut } from './do-not-call-list.ts'
import type { CallInProgress, LiveCalls } from './live-calls.ts'
import type { RunDeps } from './run-deps.ts'
import { eventTime } from './run-events.ts'
import { type Ended, readEnd } from './take-update.ts'

interface EventHandlerParts {
  readonly batch: BatchFile
  readonly live: LiveCalls
  readonly queue: CallQueue
  readonly deps: RunDeps
  /** Keys of the attempts of this run. */
  readonly own: ReadonlySet<string>
  /** Called when an update has arrived. */
  onUpdate(): void
}

/** A call whose response was lost exists if an event arrives in this time. */
const doubtMs = 60_000
/** Longest call of the interface (interface.md 2.1), and time until it begins. */
const maxCallMs = 120 * 60_000
const ringingMs = 2 * 60_000
/** Time in which the runner that placed a call records its events; the others record what is missing then. */
const othersMs = 5000

export type EventHandler = ReturnType<typeof createEventHandler>

/** Handles the events of calls: outcomes, opt-outs and phases. Calls without events end after a time. */
export function createEventHandler({ batch, live, queue, deps, own, onUpdate }: EventHandlerParts) {
  const { clock, journal, feed, eventUrl, onEvent } = deps
  const { queuedAfterMs = 5 * 60_000 } = deps
  const { state, isShared } = journal
  /** A call of another runner may last so long, and nobody knows less of it. */
  const slotMs = isShared ? (deps.maxCallMs ?? maxCallMs) + ringingMs + maxClockErrorMs : 0
  const outcomeTimeoutMs = Math.max(deps.outcomeTimeoutMs ?? 30 * 60_000, slotMs)
  const updates: CallUpdate[] = []
  /** Updates that other runners may record, or whose call they have not announced yet. */
  const delayed = new Queue<{ readonly update: CallUpdate; readonly at: number }>()
  const optOuts: OptOut[] = []
  const handled = new Set<string>()
  let failure: { readonly error: unknown } | undefined
  const stamp = () => new Date(clock.now()).toISOString()

  const end = ({ attempt }: CallAttempt, endFields: Ended) =>
    journal.append({ step: 'ended', at: stamp(), attempt, ...endFields })
  const optOut = async ({ person, number, attempt, call }: CallAttempt, words: string) => {
    const { numbers } = queue.get(person) ?? { numbers: [number] }
    handled.add(attempt)
    await deps.optOut({ numbers, call, at: stamp(), words })
    await journal.append({ step: 'opted-out', at: stamp(), attempt, person, numbers: [...numbers], words })
  }
  const showPhase = ({ attempt, person, number: to, call }: CallAttempt, { at, last, phase }: CallUpdate) => {
    const current = live.get(attempt)
    if (current === undefined) return
    // The time is in the future if the clock was set back.
    current.lastEventAt = Math.max(current.lastEventAt, Math.min(at, clock.now()))
    current.last = last
    // Its runner has not recorded yet that it was placed.
    if (isShared && current.phase === 'placing') return
    if (current.phase === phase || phase === 'ended') return
    current.phase = phase
    watch(current)
    onEvent({ kind: 'phase', person, to, call, phase })
  }
  /** Records the id of the call, which its response may not have had. */
  const identify = async ({ callId }: CallUpdate, { attempt, number }: CallAttempt) => {
    if (callId === null) return
    if (!state.calls.has(callId)) await journal.append({ step: 'placed', at: stamp(), attempt, call: callId })
    live.confirm(attempt, number, callId)
  }
  const recordEnd = async (update: CallUpdate, attempt: CallAttempt) => {
    const callEnd = readEnd(update, batch, queue.get(attempt.person)?.zone ?? 'UTC', attempt)
    if (callEnd !== undefined) await end(attempt, callEnd)
  }
  const handleUpdate = async (update: CallUpdate) => {
    const key = live.match(update)
    const matched = key === undefined ? undefined : state.attempt(key)
    const isOwn = !isShared || (key !== undefined && own.has(key))
    if (!isOwn) delayed.enqueue({ update, at: clock.now() + othersMs })
    if (key === undefined || matched === undefined) return
    if (isOwn) await identify(update, matched)
    const attempt = state.attempt(key) ?? matched
    showPhase(attempt, update)
    const words = state.optedOut.has(attempt.person) ? undefined : findOptOut(update, batch.optOut)
    if (words !== undefined) await optOut(attempt, words)
    if (isOwn) await recordEnd(update, attempt)
  }
  const handleDelayed = async () => {
    for (let next = delayed.peek(); next !== undefined && next.at <= clock.now(); next = delayed.peek()) {
      delayed.dequeue()
      const key = live.match(next.update)
      const attempt = key === undefined ? undefined : state.attempt(key)
      if (attempt === undefined) continue
      await identify(next.update, attempt)
      await recordEnd(next.update, attempt)
    }
  }
  /** True for a call that may not exist. */
  const isInDoubt = ({ isDoubtful, phase }: CallInProgress) => isDoubtful || phase === 'placing'
  const overdueAt = (call: CallInProgress) =>
    call.lastEventAt + (isInDoubt(call) ? Math.max(doubtMs, slotMs) : outcomeTimeoutMs)
  /** A call may be overdue from here on. Events move it away, and only `endOverdue` looks at all calls. */
  let nextTimeout = Number.POSITIVE_INFINITY
  const watch = (call: CallInProgress | undefined) => {
    if (call === undefined) return
    nextTimeout = Math.min(nextTimeout, overdueAt(call))
    if (!call.isReported && call.phase === 'queued' && !isInDoubt(call))
      nextTimeout = Math.min(nextTimeout, call.startedAt + queuedAfterMs)
  }
  const endOverdue = async () => {
    const now = clock.now()
    if (now < nextTimeout) return
    for (const call of [...live.all()]) {
      const attempt = state.attempt(call.attempt)
      if (attempt === undefined) continue
      const silentMs = now - call.lastEventAt
      if (isInDoubt(call)) {
        if (now < overdueAt(call)) continue
        live.end(call.attempt)
        queue.refresh(call.person)
      } else if (silentMs >= outcomeTimeoutMs) {
        const reason = `no event for ${waitText(outcomeTimeoutMs)}`
        await end(attempt, { ...noOutcome, reason })
      } else if (call.phase === 'queued' && !call.isReported && now - call.startedAt >= queuedAfterMs) {
        call.isReported = true
        const { person, number: to, call: id } = attempt
        const seconds = Math.round((now - call.startedAt) / 1000)
        onEvent({ kind: 'queued-long', person, to, call: id, seconds })
      }
    }
    nextTimeout = Number.POSITIVE_INFINITY
    for (const call of live.all()) watch(call)
  }
  const handlePending = async () => {
    // A run that continues has an update of each earlier call; removing them one by one would move all others each time.
    while (updates.length > 0) for (const update of updates.splice(0)) await handleUpdate(update)
    await handleDelayed()
    for (const optOut of optOuts.splice(0)) await deps.optOut(optOut)
    await endOverdue()
  }
  /** Waits for the end of a call of an earlier run, if its events can arrive. */
  const continueCall = async (attempt: CallAttempt, isDoubtful: boolean) => {
    const { attempt: key, person, number, from, call, at, url } = attempt
    if (eventUrl !== undefined && url !== eventUrl) {
      // Without a URL its events go to another program.
      if (url !== null && !isDoubtful)
        await end(attempt, { ...noOutcome, reason: 'its events were sent to another address' })
      return
    }
    const startedAt = Math.min(Date.parse(at), clock.now())
    live.add({
      ...{ attempt: key, person, number, from, call, startedAt, lastEventAt: startedAt },
      ...{ phase: 'queued', last: null, isReported: false, isDoubtful },
    })
    watch(live.get(key))
    queue.refresh(person)
  }
  const startFeed = async (source: CallFeed) => {
    source.failed.catch(error => {
      failure = { error }
      onUpdate()
    })
    updates.push(...(await readRecorded(source, updates, onUpdate)))
    for (const attempts of state.attempts.values())
      for (const attempt of attempts) {
        const isDoubtful = attempt.outcome === 'calling' || attempt.outcome === 'unknown'
        const isRecent = clock.now() - Date.parse(attempt.at) < Math.max(doubtMs, slotMs)
        if (attempt.outcome === 'placed' || (isDoubtful && isRecent)) await continueCall(attempt, isDoubtful)
      }
    await handlePending()
    if (live.size > 0)
      onEvent({
        kind: 'waiting',
        until: eventTime(Math.max(...[...live.all()].map(overdueAt))),
        reason: 'calls',
      })
  }
  return {
    /** Starts the feed, and takes what it has recorded since the last run. */
    async start(): Promise<void> {
      if (eventUrl !== undefined && state.url !== eventUrl)
        await journal.append({ step: 'listening', at: stamp(), url: eventUrl })
      if (feed !== undefined) await startFeed(feed)
    },
    /** Takes the events that have arrived, and ends calls without events. */
    handlePending,
    /** Error of the feed: no more events can arrive. */
    get failure() {
      return failure
    },
    /** True if an event of this attempt has arrived and was not taken yet. */
    hasUpdate: (attempt: string): boolean => updates.some(update => live.match(update) === attempt),
    /** Returns when a call in progress may be overdue. */
    nextTimeout: (): number => Math.min(nextTimeout, delayed.peek()?.at ?? Number.POSITIVE_INFINITY),
    /** True if a call may still have an outcome that leads to another one. */
    isWaiting(): boolean {
      const now = clock.now()
      return [...live.all()].some(call => !isInDoubt(call) || now - call.startedAt < doubtMs)
    },
    /** A person has opted out; another runner may have recorded it. */
    onOptedOut({ attempt, numbers, at, words }: Extract<BatchStep, { step: 'opted-out' }>): void {
      if (handled.has(attempt)) return
      const { call = null } = state.attempt(attempt) ?? {}
      optOuts.push({ numbers, call, at, words })
    },
    /** A call has begun, or may be overdue at another time. */
    watch,
    /** Restarts the timeouts after the clock was set back. */
    onSetBack(milliseconds: number): void {
      nextTimeout = clock.now()
      const waiting = [...delayed]
      delayed.clear()
      for (const { update, at } of waiting) delayed.enqueue({ update, at: at - milliseconds })
      for (const call of live.all()) {
        call.startedAt = Math.min(call.startedAt, nextTimeout)
        call.lastEventAt = Math.min(call.lastEventAt, nextTimeout)
      }
    },
  }
}

/** `5 s`, `30 min`. */
function waitText(milliseconds: number): string {
  return milliseconds < 60_000
    ? `${Math.round(milliseconds / 1000)} s`
    : `${Math.round(milliseconds / 60_000)} min`
}

/** Starts the feed. Returns the latest recorded update of each call with everything the caller said; later ones go to `updates`. */
async function readRecorded(
  feed: CallFeed,
  updates: CallUpdate[],
  onUpdate: () => void,
): Promise<Iterable<CallUpdate>> {
  const updatesByCall = new Map<string, CallUpdate>()
  let isRecorded = true
  await feed.start(update => {
    if (!isRecorded) {
      updates.push(update)
      return onUpdate()
    }
    const key = update.callId ?? `number ${update.userNumber}`
    const before = updatesByCall.get(key)
    updatesByCall.set(
      key,
      before === undefined ? update : { ...update, userLines: [...before.userLines, ...update.userLines] },
    )
  })
  isRecorded = false
  return updatesByCall.values()
}

const noOutcome = {
  outcome: 'unclear',
  seconds: null,
  endedBy: null,
  analysis: null,
  callbackAt: null,
} as const
