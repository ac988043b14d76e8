import type { CallUpdate } from '../../outcomes/index.ts'
import type { BatchState } from '../state.ts'
import type { CallPhase } from './run-events.ts'

/** A call whose end has not arrived. Times are milliseconds since the epoch. */
export interface CallInProgress {
  readonly attempt: string
  /** Id of the person. */
  readonly person: string
  readonly number: string
  readonly from: string
  /** Null until it is known. */
  call: string | null
  phase: CallPhase
  startedAt: number
  lastEventAt: number
  last: { readonly role: string; readonly text: string } | null
  /** True once it was reported that the service keeps it waiting. */
  isReported: boolean
  /** True until an event tells that the call exists, if the response to its request is not known. */
  isDoubtful: boolean
}

export type LiveCalls = ReturnType<typeof trackLiveCalls>

/** An event of a call whose id is unknown counts for a request that was sent at most this long before. */
const maxUnmatchedMs = 10 * 60_000

/** The calls in progress, by the key of their attempt. `toleranceMs` is how much the clocks of several runners may differ. */
export function trackLiveCalls(state: BatchState, toleranceMs = 0) {
  const calls = new Map<string, CallInProgress>()
  const people = new Set<string>()
  /** Attempts of which no event has arrived, by the number that was called: the response may be lost, or have another id. */
  const unmatched = new Map<string, string>()
  for (const attempts of state.attempts.values())
    for (const { attempt, number, call, outcome } of attempts)
      if (call === null && outcome !== 'not-sent' && outcome !== 'rejected') unmatched.set(number, attempt)
  const end = (attempt: string) => {
    const call = calls.get(attempt)
    calls.delete(attempt)
    if (call !== undefined) people.delete(call.person)
  }
  return {
    get size() {
      return calls.size
    },
    all: () => calls.values(),
    get: (attempt: string) => calls.get(attempt),
    hasPerson: (id: string) => people.has(id),
    add(call: CallInProgress): void {
      calls.set(call.attempt, call)
      people.add(call.person)
      unmatched.set(call.number, call.attempt)
    },
    /** The request of a call was not sent, or was rejected: no event belongs to it. */
    drop(attempt: string, number: string): void {
      if (unmatched.get(number) === attempt) unmatched.delete(number)
      end(attempt)
    },
    end,
    /** The service has accepted a call. */
    placed(attempt: string, id: string | null): void {
      const call = calls.get(attempt)
      if (call !== undefined) Object.assign(call, { call: id, phase: 'queued' })
    },
    /** The response to the request of a call was lost. */
    doubt(attempt: string): void {
      const call = calls.get(attempt)
      if (call !== undefined) call.isDoubtful = true
    },
    /**
     * Returns the attempt that an update belongs to: by the id of the call, or else by both numbers, if no event with its id has arrived.
     */
    match({ callId, userNumber, assistantNumber, at }: CallUpdate): string | undefined {
      const byId = callId === null ? undefined : state.calls.get(callId)
      if (byId !== undefined || userNumber === null) return byId
      const key = unmatched.get(userNumber)
      const attempt = key === undefined ? undefined : state.attempt(key)
      if (attempt === undefined) return undefined
      if (assistantNumber !== null && assistantNumber !== attempt.from) return undefined
      const age = at - Date.parse(attempt.at)
      return age >= -toleranceMs && age <= maxUnmatchedMs ? key : undefined
    },
    /** An event of an attempt has arrived, with the id of its call. */
    confirm(attempt: string, number: string, id: string): void {
      if (unmatched.get(number) === attempt) unmatched.delete(number)
      const call = calls.get(attempt)
      if (call === undefined) return
      Object.assign(call, { call: id, isDoubtful: false })
      if (call.phase === 'placing') call.phase = 'queued'
    },
  }
}
