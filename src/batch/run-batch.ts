import { randomUUID } from 'node:crypto'
import { hasKnownOutcome } from '../api/index.ts'
import type { Brake, CallKind } from '../interface/batch.ts'
import type { CallOutcome } from '../interface/words.ts'
import type { Clock } from '../lib/clock.ts'
import { CallwrightError, getErrorReason } from '../lib/error.ts'
import type { CallFeed, CallUpdate } from '../outcomes/index.ts'
import type { BatchJournal } from './batch-journal.ts'
import { callsBeforeBrake, findBrake } from './brakes.ts'
import type { Person } from './contacts.ts'
import type { ControlRequest } from './control.ts'
import { type CheckPeople, createVerdicts } from './eligibility.ts'
import { createLiveCalls } from './live-calls.ts'
import { type NextCall, planNextCall, rulesOf } from './next-call.ts'
import { findOptOut, type OptOut } from './opt-out.ts'
import { type BatchPlan, intervalOf, type PlanInput, sendersOf } from './plan.ts'
import { createRoster, type Roster } from './roster.ts'
import { createSenders } from './senders.ts'
import type { BatchRequest, CallAttempt } from './state.ts'
import { readEnd } from './take-update.ts'
import { createWaiter } from './waiter.ts'
import { createWindow } from './window.ts'

/** Why a run ended. */
export type RunEnd =
  | 'done'
  /** The signal: a person paused it, and the same command continues. */
  | 'paused'
  /** `call batch pause`, `first` or `stopWhen`: a person must resume the batch. */
  | 'stopped'
  | 'cancelled'
  /** `until`, or no time is left in the window. */
  | 'ended'
  /** `limit.calls`, `limit.minutes`, or the limits of the numbers that calls come from. */
  | 'limit'

/** Why no call begins now. `retry`: the next call is planned for later; `calls`: others must end first. */
export type WaitReason = 'window' | 'retry' | 'rate' | 'busy' | 'calls' | 'drain'

interface OfCall {
  readonly person: string
  readonly to: string
  readonly call: string | null
}

export type BatchEvent =
  | (OfCall & { readonly kind: 'called'; readonly from: string; readonly why: CallKind })
  | (Omit<OfCall, 'call'> & {
      readonly kind: 'failed'
      readonly outcome: 'rejected' | 'unknown'
      readonly reason: string
    })
  | (OfCall & { readonly kind: 'phase'; readonly phase: 'queued' | 'ringing' | 'talking' })
  /** The service has not begun the call for a long time; it may ring outside of the window. */
  | (OfCall & { readonly kind: 'queued-long'; readonly seconds: number })
  /** `next` is the time of the next call in milliseconds since the epoch; null if there is none. */
  | (OfCall & {
      readonly kind: 'ended'
      readonly outcome: CallOutcome
      readonly seconds: number | null
      readonly endedBy: string | null
      readonly reason: string | null
      readonly next: number | null
    })
  | { readonly kind: 'opted-out'; readonly person: string; readonly words: string }
  | { readonly kind: 'skipped'; readonly person: string; readonly reason: string }
  | { readonly kind: 'stopped'; readonly by: Brake; readonly reason: string }
  | { readonly kind: 'requested'; readonly request: BatchRequest['request'] }
  /** `until` is in milliseconds since the epoch; null while calls must end first. */
  | { readonly kind: 'waiting'; readonly until: number | null; readonly reason: WaitReason }

/** A call that is about to be placed. */
export interface CallJob {
  /** Key of the attempt in the journal. */
  readonly attempt: string
  readonly person: Person
  readonly from: string
  readonly to: string
  /** Number of this call to the person, from 1. */
  readonly number: number
}

export interface RunDeps {
  readonly clock: Clock
  /** Pauses the run: the request in progress is awaited, and then calls in progress for `drainMs`. */
  readonly signal: AbortSignal
  readonly journal: BatchJournal
  /** Base URL of the service. */
  readonly service: string
  /** Places a call. @throws CallwrightError of the service or the network */
  call(job: CallJob): Promise<{ readonly id: string | undefined }>
  onEvent(event: BatchEvent): void
  /** Outcomes of calls. Without it calls stay `placed`. */
  readonly feed?: CallFeed | undefined
  /** URL that events of the calls are sent to; undefined if another program receives them. */
  readonly eventUrl?: string | undefined
  /** Decides who is called. */
  readonly check?: CheckPeople | undefined
  /** Adds a person to the do-not-call list. Default: the person is only not called again by this batch. */
  optOut?(optOut: OptOut): Promise<void>
  /** Returns the do-not-call list that one of the numbers is on now. */
  findBlocked?(numbers: readonly string[]): Promise<string | undefined>
  /** Reads requests of other processes. */
  requests?(offset: number): Promise<readonly ControlRequest[]>
  /** Reads the people again after a list was added. */
  reread?(): Promise<readonly Person[]>
  /** Milliseconds to wait for calls in progress after a pause. Default: 30 s. */
  readonly drainMs?: number | undefined
  /** Milliseconds without an event after which the outcome of a call is unclear. Default: 30 min. */
  readonly outcomeTimeoutMs?: number | undefined
  /** Milliseconds that a call may be queued before it is reported. Default: 5 min. */
  readonly queuedAfterMs?: number | undefined
}

/** First wait after 429 or 503; it doubles. */
const busyWaitMs = 30_000
const maxBusyWaitMs = 10 * 60_000
/** Calls in a row whose outcome is unknown, or that are rejected: then the service or the settings are wrong, and not the rows. */
const maxInRow = { unknown: 3, rejected: 5 } as const

export type BatchRun = ReturnType<typeof createBatchRun>

/**
 * Creates a run that calls the people of a plan, one request after the other, inside their windows (docs/batch-calls.md). Each call is in
 * the journal before its request is sent. A rejected row fails; a service that is busy is waited for. With a feed, outcomes decide
 * about retries, callbacks and opt-outs.
 */
export function createBatchRun(
  { people, until = Number.POSITIVE_INFINITY }: Pick<BatchPlan, 'people' | 'until'>,
  { batch, file }: Pick<PlanInput, 'batch' | 'file'>,
  deps: RunDeps,
) {
  const { clock, signal, journal, feed, onEvent } = deps
  const { drainMs = 30_000, outcomeTimeoutMs = 30 * 60_000, queuedAfterMs = 5 * 60_000 } = deps
  const { state } = journal
  const rules = rulesOf(batch)
  const window = createWindow(batch.window ?? {})
  const senders = createSenders(sendersOf(batch), state.senders)
  const interval = intervalOf(batch) ?? 0
  const concurrency = batch.concurrency ?? Number.POSITIVE_INFINITY
  const live = createLiveCalls(state)
  const roster: Roster = createRoster(people, state, rules, id => live.hasPerson(id))
  const verdicts = deps.check === undefined ? undefined : createVerdicts(deps.check, state, clock)
  const waiter = createWaiter(clock)
  const updates: CallUpdate[] = []
  let failure: { readonly error: unknown } | undefined
  let nextCall = 0
  let busyWait = busyWaitMs
  let inRow = { unknown: 0, rejected: 0 }
  let waiting: { readonly until: number | null; readonly reason: WaitReason } | undefined

  const stamp = () => new Date(clock.now()).toISOString()
  const finished = () => (feed === undefined ? totalOf(state.senders) : state.finished)
  const wait = async (time: number, reason: WaitReason) => {
    const shown = { until: Number.isFinite(time) && reason !== 'calls' ? time : null, reason }
    const isNew = waiting?.reason !== shown.reason || waiting.until !== shown.until
    waiting = shown
    if (isNew && reason !== 'rate' && reason !== 'calls') onEvent({ kind: 'waiting', ...shown })
    await waiter.until(Math.min(time, nextTimeout()))
  }

  /** Returns when the next call in progress is overdue. */
  const nextTimeout = () => {
    let next = Number.POSITIVE_INFINITY
    for (const { lastEventAt, startedAt, isReported, isDoubtful, phase } of live.all()) {
      next = Math.min(next, lastEventAt + (isDoubtful ? doubtMs : outcomeTimeoutMs))
      if (!isReported && phase === 'queued') next = Math.min(next, startedAt + queuedAfterMs)
    }
    return next
  }
  const end = async (attempt: CallAttempt, known: NonNullable<ReturnType<typeof readEnd>>) => {
    const { attempt: key, person, number: to } = attempt
    await journal.append({ step: 'ended', at: stamp(), attempt: key, ...known })
    live.end(key)
    roster.refresh(person)
    const { outcome, seconds, endedBy, reason } = known
    const { call } = state.attempt(key) ?? attempt
    const next = roster.nextCall(person)?.at ?? null
    onEvent({ kind: 'ended', person, to, call, outcome, seconds, endedBy, reason, next })
  }
  const optOut = async (attempt: CallAttempt, words: string) => {
    const { person, number, attempt: key } = attempt
    const { numbers } = roster.get(person) ?? { numbers: [number] }
    await deps.optOut?.({ numbers, call: attempt.call, at: stamp(), words })
    await journal.append({ step: 'opted-out', at: stamp(), attempt: key, person, words })
    roster.refresh(person)
    onEvent({ kind: 'opted-out', person, words })
  }
  const takeUpdate = async (update: CallUpdate) => {
    const key = live.match(update)
    const matched = key === undefined ? undefined : state.attempt(key)
    if (key === undefined || matched === undefined) return
    if (update.callId !== null) {
      if (!state.calls.has(update.callId))
        await journal.append({ step: 'placed', at: stamp(), attempt: key, call: update.callId })
      live.confirm(key, matched.number, update.callId)
    }
    const attempt = state.attempt(key) ?? matched
    const { person, number: to, call } = attempt
    const current = live.get(key)
    if (current !== undefined) {
      const isNew = current.phase !== update.phase
      current.lastEventAt = Math.max(current.lastEventAt, update.at)
      current.last = update.last
      if (isNew && update.phase !== 'ended') {
        current.phase = update.phase
        onEvent({ kind: 'phase', person, to, call, phase: update.phase })
      }
    }
    const words = state.optedOut.has(person) ? undefined : findOptOut(update, batch)
    if (words !== undefined) await optOut(attempt, words)
    const known = readEnd(update, batch, roster.get(person)?.zone ?? 'UTC', attempt)
    if (known !== undefined) await end(attempt, known)
  }
  const takeUpdates = async () => {
    if (failure !== undefined) throw failure.error
    for (let update = updates.shift(); update !== undefined; update = updates.shift())
      await takeUpdate(update)
    const now = clock.now()
    for (const call of [...live.all()]) {
      const attempt = state.attempt(call.attempt)
      if (attempt === undefined) continue
      if (call.isDoubtful) {
        if (now - call.lastEventAt < doubtMs) continue
        live.end(call.attempt)
        roster.refresh(call.person)
      } else if (now - call.lastEventAt >= outcomeTimeoutMs)
        await end(attempt, {
          ...noOutcome,
          reason: `no event for ${Math.round(outcomeTimeoutMs / 60_000)} min`,
        })
      else if (call.phase === 'queued' && !call.isReported && now - call.startedAt >= queuedAfterMs) {
        call.isReported = true
        const seconds = Math.round((now - call.startedAt) / 1000)
        onEvent({
          kind: 'queued-long',
          person: attempt.person,
          to: attempt.number,
          call: attempt.call,
          seconds,
        })
      }
    }
  }
  const takeRequests = async () => {
    for (const { offset, request } of (await deps.requests?.(state.offset)) ?? []) {
      await journal.append({ step: 'requested', at: stamp(), offset, request })
      if (request.request === 'add') roster.replace((await deps.reread?.()) ?? people)
      else roster.rebuild()
      onEvent({ kind: 'requested', request: request.request })
    }
  }

  const place = async (person: Person, next: NextCall, from: string) => {
    const attempt = randomUUID()
    const { number: to, kind } = next
    const { id } = person
    const startedAt = clock.now()
    await journal.append({ step: 'calling', at: stamp(), attempt, person: id, number: to, from, kind })
    const started = {
      attempt,
      person: id,
      number: to,
      from,
      call: null,
      phase: 'placing' as const,
      last: null,
    }
    if (feed !== undefined)
      live.add({ ...started, startedAt, lastEventAt: startedAt, isReported: false, isDoubtful: false })
    nextCall = Math.max(nextCall, startedAt) + interval
    const number = state.attempts.get(id)?.filter(({ outcome }) => outcome !== 'not-sent').length ?? 1
    const onPlaced = async (call: string | null) => {
      await journal.append({ step: 'placed', at: stamp(), attempt, call })
      const current = live.get(attempt)
      if (current !== undefined) Object.assign(current, { call, phase: 'queued' })
      senders.advance()
      inRow = { unknown: 0, rejected: 0 }
      busyWait = busyWaitMs
      roster.refresh(id)
      onEvent({ kind: 'called', person: id, from, to, call, why: kind })
    }
    try {
      const placed = await deps.call({ attempt, person, from, to, number })
      await onPlaced(placed.id ?? null)
    } catch (error) {
      const outcome = outcomeOfError(error)
      // Its events tell that the call exists although the response was lost.
      if (outcome === 'unknown' && updates.some(update => live.match(update) === attempt))
        return await onPlaced(null)
      const reason = getErrorReason(error)
      await journal.append({ step: 'failed', at: stamp(), attempt, outcome, reason })
      const current = live.get(attempt)
      if (outcome !== 'unknown') live.drop(attempt, to)
      else if (current !== undefined) current.isDoubtful = true
      if (outcome === 'not-sent') {
        roster.putBack(person, next.at)
        if (signal.aborted) return
        if (!isBusy(error)) throw error
        nextCall = clock.now() + busyWait
        busyUntil = nextCall
        busyWait = Math.min(busyWait * 2, maxBusyWaitMs)
        return
      }
      senders.advance()
      roster.refresh(id)
      onEvent({ kind: 'failed', person: id, to, outcome, reason })
      inRow[outcome] += 1
      if (inRow[outcome] >= maxInRow[outcome]) throw error
    }
  }
  let busyUntil = 0

  const skip = async (person: Person, reason: string) => {
    await journal.append({ step: 'skipped', at: stamp(), person: person.id, reason })
    roster.refresh(person.id)
    onEvent({ kind: 'skipped', person: person.id, reason })
  }
  /** Calls a person unless something has happened since the call was planned. */
  const callPerson = async (person: Person, from: string) => {
    const next = planNextCall(person, state, rules)
    if (next === undefined || live.hasPerson(person.id)) return
    const list = await deps.findBlocked?.(person.numbers)
    if (list !== undefined) return skip(person, `on the do-not-call list ${list}`)
    if (verdicts !== undefined) {
      const verdict = await verdicts.of(person, roster.upcoming(person.zone, maxChecked - 1))
      if (verdict !== 'yes') return skip(person, `check: ${verdict}`)
    }
    const now = clock.now()
    const isPossible = next.at <= now && now < until && window.isOpen(now, person.zone) && !signal.aborted
    if (!isPossible) return roster.putBack(person, next.at)
    waiting = undefined
    await place(person, next, from)
  }

  const begin = async () => {
    if (state.begun === undefined)
      await journal.append({ step: 'begun', at: stamp(), version: 1, service: deps.service, file })
    const url = deps.eventUrl
    if (url !== undefined && state.url !== url) await journal.append({ step: 'listening', at: stamp(), url })
    if (feed === undefined) return
    feed.failed.catch(error => {
      failure = { error }
      waiter.wake()
    })
    const recorded = new Map<string, CallUpdate>()
    let isRecorded = true
    await feed.start(update => {
      const key = update.callId ?? `number ${update.userNumber}`
      const before = recorded.get(key)
      if (isRecorded) recorded.set(key, before === undefined ? update : withSaid(update, before))
      else updates.push(update)
      waiter.wake()
    })
    isRecorded = false
    updates.unshift(...recorded.values())
    for (const attempts of state.attempts.values())
      for (const attempt of attempts) {
        const isDoubtful = attempt.outcome === 'calling' || attempt.outcome === 'unknown'
        const isRecent = clock.now() - Date.parse(attempt.at) < doubtMs
        if (attempt.outcome === 'placed' || (isDoubtful && isRecent)) await continueCall(attempt, isDoubtful)
      }
    await takeUpdates()
  }
  /** Waits for the end of a call of an earlier run, if its events can arrive. */
  const continueCall = async (attempt: CallAttempt, isDoubtful: boolean) => {
    const { attempt: key, person, number, from, call, at, url } = attempt
    if (deps.eventUrl !== undefined && url !== deps.eventUrl) {
      // Without a URL its events go to another program.
      if (url !== null && !isDoubtful)
        await end(attempt, { ...noOutcome, reason: 'its events were sent to another address' })
      return
    }
    const startedAt = Date.parse(at)
    live.add({
      ...{ attempt: key, person, number, from, call, startedAt, lastEventAt: startedAt },
      ...{ phase: 'queued', last: null, isReported: false, isDoubtful },
    })
    roster.refresh(person)
  }

  /** Returns why no more calls begin in this run. */
  const stopReason = (): RunEnd | undefined => {
    if (state.isCancelled) return 'cancelled'
    if (state.paused !== undefined) return 'stopped'
    return signal.aborted ? 'paused' : undefined
  }
  const isLimitReached = () => {
    const { calls = Number.POSITIVE_INFINITY, minutes = Number.POSITIVE_INFINITY } = batch.limit ?? {}
    let seconds = state.seconds
    for (const { phase, startedAt } of live.all())
      if (phase === 'talking') seconds += (clock.now() - startedAt) / 1000
    return totalOf(state.senders) >= calls || senders.next() === undefined || seconds >= minutes * 60
  }
  const isFull = () => live.size >= concurrency || callsBeforeBrake(batch, state, finished() + live.size) <= 0

  /**
   * Runs the batch until there is nothing left to do, or until it must stop.
   * @throws CallwrightError if the service rejects the key or cannot be reached, or after three lost responses or five rejected requests
   * in a row: nobody else is called
   */
  const run = async (): Promise<RunEnd> => {
    signal.addEventListener('abort', waiter.wake, { once: true })
    await begin()
    let drainUntil: number | undefined
    /** Waits for calls in progress; returns the end once there are none. */
    const endWith = async (reason: RunEnd): Promise<RunEnd | undefined> => {
      if (live.size === 0) return reason
      await wait(Number.POSITIVE_INFINITY, 'calls')
      return undefined
    }
    for (;;) {
      await takeUpdates()
      await takeRequests()
      const stop = stopReason()
      const now = clock.now()
      if (stop !== undefined) {
        drainUntil ??= now + drainMs
        if (live.size === 0 || now >= drainUntil) return stop
        await wait(drainUntil, 'drain')
        continue
      }
      drainUntil = undefined
      const brake = findBrake(batch, state, finished())
      if (brake !== undefined) {
        await journal.append({ step: 'paused', at: stamp(), ...brake })
        onEvent({ kind: 'stopped', ...brake })
        continue
      }
      let ended: RunEnd | undefined
      if (roster.size === 0) ended = await endWith('done')
      else if (now >= until) ended = await endWith('ended')
      else if (isLimitReached()) ended = await endWith('limit')
      else if (isFull()) await wait(Number.POSITIVE_INFINITY, 'calls')
      else if (now < nextCall) await wait(nextCall, now < busyUntil ? 'busy' : 'rate')
      else {
        const person = roster.take(now, zone => window.isOpen(now, zone))
        const sender = senders.next()
        if (person !== undefined && sender !== undefined) await callPerson(person, sender.number)
        else {
          const next = roster.nextTime(now, window.nextOpen)
          if (next === undefined || next.at >= until) ended = await endWith('ended')
          else await wait(next.at, next.isPlanned ? 'retry' : 'window')
        }
      }
      if (ended !== undefined) return ended
    }
  }
  return {
    run: () => run().finally(() => signal.removeEventListener('abort', waiter.wake)),
    /** Another process may have added a request. */
    wake: waiter.wake,
    roster,
    live,
    rules,
    /** Why no call begins now; undefined while calls begin. */
    get waiting() {
      return waiting
    },
  }
}

/** Runs a batch to its end: see createBatchRun. @throws as its `run` does */
export function runBatch(...run: Parameters<typeof createBatchRun>): Promise<RunEnd> {
  return createBatchRun(...run).run()
}

/** A call whose response was lost exists if an event arrives in this time. */
const doubtMs = 60_000

/** People who are checked by one start of the program. */
const maxChecked = 100

const noOutcome = {
  outcome: 'unclear',
  seconds: null,
  endedBy: null,
  analysis: null,
  callbackAt: null,
} as const

/** The latest update of a call with everything that the caller said. */
function withSaid(update: CallUpdate, { said }: CallUpdate): CallUpdate {
  return { ...update, said: [...said, ...update.said] }
}

/** Returns whether a call may have been placed. Not placed and not the fault of its row: it is placed later. */
function outcomeOfError(error: unknown): 'not-sent' | 'rejected' | 'unknown' {
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
