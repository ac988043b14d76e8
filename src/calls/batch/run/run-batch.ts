import type { BatchFile } from '../../../files/formats/batch.ts'
import { rulesOf } from '../next-call.ts'
import { type BatchPlan, intervalOf, sendersOf } from '../plan.ts'
import { type CallQueue, createCallQueue } from '../queue.ts'
import { assertSameBatch } from '../shared-facts.ts'
import { callsOf } from '../status/index.ts'
import { createWindow } from '../window.ts'
import { callsBeforeBrake, findBrake } from './auto-pause.ts'
import { clockError, maxClockErrorMs } from './clock-error.ts'
import { createCaller } from './dialer.ts'
import { createEventHandler } from './event-handler.ts'
import { trackLiveCalls } from './live-calls.ts'
import type { RunDeps } from './run-deps.ts'
import { eventTime, type RunEnd, type WaitReason } from './run-events.ts'
import { createSenders } from './senders.ts'
import { createStepTracker } from './track-steps.ts'
import { createWaiter } from './waiter.ts'

/** Calls in progress, if the batch sets no limit. */
const maxConcurrency = 1000

export type BatchRun = ReturnType<typeof createBatchRun>

/**
 * Creates a run that calls the people of a plan, one request after the other, inside their windows (docs/batch-calls.md). Each call is in
 * the journal before its request is sent. A rejected row fails; a service that is busy is waited for. With a feed, outcomes decide
 * about retries, callbacks and opt-outs.
 */
export function createBatchRun(
  { people, until = Number.POSITIVE_INFINITY }: BatchPlan,
  batch: BatchFile,
  file: string,
  deps: RunDeps,
) {
  const { clock, signal, leave, journal, feed, onEvent, drainMs = 30_000 } = deps
  const { state } = journal
  const rules = rulesOf(batch)
  const window = createWindow(batch.window ?? {})
  const senders = createSenders(sendersOf(batch), state.senders)
  const live = trackLiveCalls(state, journal.isShared ? maxClockErrorMs : 0)
  const queue: CallQueue = createCallQueue(people, state, rules, id => live.hasPerson(id))
  const waiter = createWaiter(clock)
  const own = new Set<string>()
  const events = createEventHandler({ batch, live, queue, deps, own, onUpdate: waiter.wake })
  const caller = createCaller({
    ...{ deps, rules, live, queue, events, own, intervalMs: intervalOf(batch) ?? 0 },
    isOpen: zone => clock.now() < until && window.isOpen(clock.now(), zone),
  })
  let isListAdded = false
  const track = createStepTracker({
    ...{ deps, live, queue, events, onCalling: caller.onCalling, onCalled: senders.advance },
    onRequested({ request }) {
      if (request === 'add') isListAdded = true
      else queue.rebuild()
      onEvent({ kind: 'requested', request })
    },
  })
  journal.follow(step => {
    track(step)
    if (journal.isShared) waiter.wake()
  })
  let waiting: { readonly until: number | null; readonly reason: WaitReason } | undefined

  const stamp = () => new Date(clock.now()).toISOString()
  const wait = async (time: number, reason: WaitReason) => {
    const nextWaiting = { until: Number.isFinite(time) ? time : null, reason }
    const isNew = waiting?.reason !== nextWaiting.reason || waiting.until !== nextWaiting.until
    waiting = nextWaiting
    if (isNew && reason !== 'rate' && reason !== 'calls')
      onEvent({ kind: 'waiting', until: eventTime(nextWaiting.until), reason })
    await waiter.until(Math.min(time, events.nextTimeout()))
  }
  const waitForCalls = () => wait(Number.POSITIVE_INFINITY, 'calls')
  const takeRequests = async () => {
    for (const { offset, request } of (await deps.requests?.(state.offset)) ?? [])
      await journal.append({ step: 'requested', at: stamp(), offset, request })
    if (!isListAdded) return
    isListAdded = false
    queue.replace(await deps.reread(queue.people()))
  }
  const callsSoFar = () => callsOf(state)
  const finished = () => (feed === undefined ? callsSoFar() : state.finished)
  const isLimitReached = () => {
    const { calls = Number.POSITIVE_INFINITY, minutes = Number.POSITIVE_INFINITY } = batch.limit ?? {}
    if (callsSoFar() >= calls || senders.next() === undefined) return true
    if (minutes === Number.POSITIVE_INFINITY) return false
    let { seconds } = state
    for (const { phase, startedAt } of live.all())
      if (phase === 'talking') seconds += (clock.now() - startedAt) / 1000
    return seconds >= minutes * 60
  }
  const isFull = () =>
    live.size >= (batch.concurrency ?? maxConcurrency) ||
    callsBeforeBrake(batch, state, finished() + live.size) <= 0
  /** Calls of other runners do not end with this run. */
  const isDrained = () =>
    journal.isShared ? ![...live.all()].some(({ attempt }) => own.has(attempt)) : live.size === 0
  /** Returns why no more calls begin in this run. */
  const stopReason = (): RunEnd | undefined => {
    if (state.isCancelled) return 'cancelled'
    if (state.paused !== undefined) return 'stopped'
    return signal.aborted ? 'paused' : undefined
  }
  /** Returns why no more calls begin although nobody has stopped the run. */
  const endReason = (now: number): RunEnd | undefined => {
    if (queue.size === 0) return 'done'
    if (now >= until) return 'ended'
    return isLimitReached() ? 'limit' : undefined
  }
  /** Calls the next person or waits. Returns the end of the run if nobody can be called any more. */
  const step = async (now: number, version: number): Promise<RunEnd | undefined> => {
    if (isFull()) await waitForCalls()
    else if (now < caller.nextAt) await wait(caller.nextAt, caller.isBusyAt(now) ? 'busy' : 'rate')
    else {
      const person = queue.take(now, zone => window.isOpen(now, zone))
      const sender = senders.next()
      if (person !== undefined && sender !== undefined) {
        waiting = undefined
        await caller.call(person, { from: sender.number, version })
        return undefined
      }
      const next = queue.nextTime(now, window.nextOpen)
      if (next === undefined || next.at >= until) return 'ended'
      await wait(next.at, next.isPlanned ? 'retry' : 'window')
    }
    return undefined
  }
  const startBatch = async () => {
    if (Math.abs(journal.clockAheadMs) > maxClockErrorMs) throw clockError(journal.clockAheadMs)
    const isOther = state.begun?.service !== deps.service && callsSoFar() === 0 && !journal.isShared
    const { service, shared } = deps
    if (state.begun === undefined || isOther)
      await journal.append(
        { step: 'begun', at: stamp(), version: 1, service, file, ...(shared && { shared }) },
        journal.version,
      )
    // Another runner may have begun it.
    if (shared !== undefined) assertSameBatch(state.begun, { service, shared })
  }
  /** Retries wait for a time after the last call. Runners with a common journal tolerate no large difference of their clocks. */
  const shiftEnds = (milliseconds: number) => {
    if (journal.isShared || milliseconds <= 0) return
    state.shiftEnds(milliseconds)
    queue.rebuild()
  }
  const run = async (): Promise<RunEnd> => {
    await startBatch()
    // The clock was set back since an earlier run.
    shiftEnds(state.lastEndedAt() - clock.now())
    await events.start()
    let drainUntil: number | undefined
    let seenAt = clock.now()
    for (;;) {
      await events.handlePending()
      await takeRequests()
      const stop = stopReason()
      const now = clock.now()
      if (now < seenAt) {
        // Otherwise each wait would last until the clock reaches the old time.
        for (const listener of [caller, events]) listener.onSetBack(seenAt - now)
        shiftEnds(seenAt - now)
        if (drainUntil !== undefined) drainUntil -= seenAt - now
      }
      seenAt = now
      // From here to a decision, nothing may be awaited: it counts only if no other one was made since.
      const { version } = journal
      const { failure } = events
      if (stop !== undefined) {
        drainUntil ??= now + drainMs
        const isOver = now >= drainUntil || leave?.aborted === true
        if (isDrained() || isOver || failure !== undefined) return stop
        await wait(drainUntil, 'drain')
        continue
      }
      // No failure once everything has arrived.
      if (failure !== undefined && live.size + queue.size > 0) throw failure.error
      drainUntil = undefined
      const brake = findBrake(batch, state, finished())
      if (brake !== undefined) {
        await journal.append({ step: 'paused', at: stamp(), ...brake }, version)
        continue
      }
      const end = endReason(now) ?? (await step(now, version))
      if (end === undefined) continue
      // Calls in progress may lead to further ones.
      if (!events.isWaiting()) return end
      await waitForCalls()
    }
  }
  return {
    /**
     * Runs the batch until there is nothing left to do, or until it must stop.
     * @throws CallyardError if the service rejects the key or cannot be reached, or after three lost responses or five rejected
     * requests in a row: nobody else is called
     */
    async run(): Promise<RunEnd> {
      for (const abortSignal of [signal, leave])
        abortSignal?.addEventListener('abort', waiter.wake, { once: true })
      try {
        return await run()
      } finally {
        for (const abortSignal of [signal, leave]) abortSignal?.removeEventListener('abort', waiter.wake)
        // Calls that may not exist keep their place until the end.
        for (const { person } of live.all()) queue.refresh(person)
      }
    },
    /** Another process may have added a request. */
    wake: waiter.wake,
    queue,
    live,
    rules,
    /** Why no call begins now; undefined while calls begin. */
    get waiting() {
      return waiting
    },
  }
}
