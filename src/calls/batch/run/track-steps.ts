import type { CallQueue } from '../queue.ts'
import type { BatchRequest, BatchStep } from '../state.ts'
import type { EventHandler } from './event-handler.ts'
import type { LiveCalls } from './live-calls.ts'
import type { RunDeps } from './run-deps.ts'
import { eventTime } from './run-events.ts'

type StepOf<Kind extends BatchStep['step']> = Extract<BatchStep, { step: Kind }>

interface TrackerParts {
  readonly deps: RunDeps
  readonly live: LiveCalls
  readonly queue: CallQueue
  readonly events: EventHandler
  /** Called when a call begins. */
  onCalling(): void
  /** Called when a call was placed or rejected. */
  onCalled(): void
  onRequested(request: BatchRequest): void
}

/** Returns a function that updates a run after a step of its journal, and reports the step. */
export function createStepTracker({
  deps,
  live,
  queue,
  events,
  onCalling,
  onCalled,
  onRequested,
}: TrackerParts) {
  const { clock, journal, feed, onEvent } = deps
  const { state } = journal

  const onCallingStep = ({ attempt, person, number, from }: StepOf<'calling'>) => {
    const startedAt = clock.now()
    // Another runner may have taken the person.
    queue.withdraw(person)
    if (feed !== undefined)
      live.add({
        ...{ attempt, person, number, from, call: null, phase: 'placing', last: null },
        ...{ startedAt, lastEventAt: startedAt, isReported: false, isDoubtful: false },
      })
    events.watch(live.get(attempt))
    onCalling()
  }
  const onPlaced = ({ attempt: key, call }: StepOf<'placed'>) => {
    const attempt = state.attempt(key)
    const current = live.get(key)
    const isFirst = feed === undefined || (current?.phase === 'placing' && !current.isDoubtful)
    if (attempt === undefined) return
    // An event has told the id of the call, or that it exists.
    if (!isFirst) return call === null ? undefined : live.confirm(key, attempt.number, call)
    const { person, from, number: to, kind: why } = attempt
    live.placed(key, call)
    events.watch(current)
    onCalled()
    queue.refresh(person)
    onEvent({ kind: 'called', person, from, to, call, why })
  }
  const onFailed = ({ attempt: key, outcome, reason }: StepOf<'failed'>) => {
    const attempt = state.attempt(key)
    if (attempt === undefined) return
    const { person, number: to } = attempt
    if (outcome === 'unknown') live.doubt(key)
    else live.drop(key, to)
    events.watch(live.get(key))
    if (outcome === 'not-sent') return queue.requeue(person)
    onCalled()
    queue.refresh(person)
    onEvent({ kind: 'failed', person, to, outcome, reason })
  }
  const onEnded = ({ attempt: key, outcome, seconds, endedBy, reason }: StepOf<'ended'>) => {
    const attempt = state.attempt(key)
    if (attempt === undefined) return
    const { person, number: to, call } = attempt
    live.end(key)
    queue.refresh(person)
    const next = eventTime(queue.nextCall(person)?.at)
    onEvent({ kind: 'ended', person, to, call, outcome, seconds, endedBy, reason, next })
  }
  return (step: BatchStep): void => {
    if (step.step === 'calling') onCallingStep(step)
    else if (step.step === 'placed') onPlaced(step)
    else if (step.step === 'failed') onFailed(step)
    else if (step.step === 'ended') onEnded(step)
    else if (step.step === 'skipped') {
      const { person, reason } = step
      queue.refresh(person)
      onEvent({ kind: 'skipped', person, reason })
    } else if (step.step === 'opted-out') {
      const { person, words } = step
      events.onOptedOut(step)
      queue.refresh(person)
      onEvent({ kind: 'opted-out', person, words })
    } else if (step.step === 'paused') onEvent({ kind: 'stopped', by: step.by, reason: step.reason })
    else if (step.step === 'requested') onRequested(step.request)
  }
}
