import type { OpenBatch, Person } from '../../../calls/batch/index.ts'
import type { BatchRun } from '../../../calls/batch/run/index.ts'
import { callsOf, describePerson } from '../../../calls/batch/status/index.ts'
import type { CalledService } from '../../../calls/place/index.ts'
import type { Timekeeper } from '../../../lib/clock.ts'
import type { BatchFeed, BatchPause, BatchRow, BatchSummary } from '../../../web/index.ts'
import { doneOf, remainingMs } from './print-run.ts'

interface ViewedRun {
  readonly name: string
  readonly assistant: string
  readonly service: CalledService
  readonly isSandbox: boolean
  readonly state: OpenBatch['state']
  readonly clock: Timekeeper
}

/** Shows a run to its page. `changed` tells the page about a change, `end` that the run is over. */
export function createRunView(
  run: BatchRun,
  { name, assistant, service, isSandbox, state, clock }: ViewedRun,
) {
  const { queue, live, rules } = run
  const startedAt = clock.now()
  const doneBefore = doneOf(run)
  const listeners = new Set<() => void>()
  let version = 0
  let ended: BatchPause | undefined

  const summary = (): BatchSummary => {
    const { counts } = queue
    return {
      ...{ name, assistant, isSandbox, service: service.name, version },
      people: queue.total,
      counts: Object.entries(counts).flatMap(([status, people]) =>
        people === 0 ? [] : [{ status, people }],
      ),
      done: doneOf(run),
      calls: callsOf(state),
      seconds: Math.round(state.seconds),
      live: [...live.all()].map(({ attempt: _, lastEventAt: __, isReported: ___, ...call }) => call),
      pause: ended ?? pauseOf(run.waiting, state.paused),
      remainingMs: remainingMs(run, { startedAt, doneBefore, now: clock.now() }) ?? null,
    }
  }
  const rowOf = (person: Person): BatchRow => ({
    ...{ id: person.id, numbers: person.numbers },
    ...describePerson(person, state, rules),
  })
  const feed: BatchFeed = {
    summary,
    rows({ status, search = '', from, limit }) {
      const matches = queue
        .people()
        .filter(
          ({ id, numbers }) =>
            (status === undefined || queue.statusOf(id) === status) &&
            (search === '' || id.includes(search) || numbers.some(number => number.includes(search))),
        )
      return { total: matches.length, rows: matches.slice(from, from + limit).map(rowOf) }
    },
    subscribe(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }
  const changed = () => {
    version += 1
    for (const listener of listeners) listener()
  }
  return {
    feed,
    changed,
    end(text: string): void {
      ended = { reason: 'ended', text, until: null }
      changed()
    },
  }
}

/** Reasons of a wait; the page adds its end. */
const waits = {
  window: 'no window is open',
  retry: 'nobody is due',
  busy: 'the service is busy',
  calls: 'waiting for calls to end',
  drain: 'waiting for calls in progress',
} as const

/** Returns why no call begins now; null while calls begin. */
export function pauseOf(
  waiting: BatchRun['waiting'],
  paused: OpenBatch['state']['paused'],
): BatchPause | null {
  if (paused !== undefined) {
    const reasonText = paused.reason === null ? '' : ` (${paused.reason})`
    return { reason: 'paused', text: `paused${reasonText}; a person must resume the batch`, until: null }
  }
  if (waiting === undefined || waiting.reason === 'rate') return null
  const { reason, until } = waiting
  return { reason, text: waits[reason], until }
}
