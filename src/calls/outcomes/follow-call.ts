import type { MessageChange, StatusChange } from '../../events/conversation/index.ts'
import {
  isTaken,
  type OutcomeWords,
  readOutcome,
  readUnansweredStatus,
} from '../../events/conversation/read-outcome.ts'
import { endWithCall, type Tail, type TailEvent } from '../../events/receive/index.ts'
import type { CallOutcome, UnansweredStatus } from '../../interface/words.ts'
import { type Clock, startTimer } from '../../lib/clock.ts'

/** The last status of a call, if there was one. */
type LastStatus = StatusChange | undefined

/** End of a followed call, from its events. */
export type FollowedEnd =
  | { readonly kind: 'answered'; readonly outcome: CallOutcome; readonly last: LastStatus }
  | {
      readonly kind: 'unanswered'
      readonly outcome: CallOutcome
      /** Undefined if the status words of the service are unknown. */
      readonly reason: UnansweredStatus | undefined
      readonly last: LastStatus
    }
  /** Nothing arrived in time. */
  | { readonly kind: 'no-events'; readonly timeoutMs: number }
  /** The signal was aborted while the call continues. */
  | { readonly kind: 'left' }

export interface FollowedCall {
  /** Ends with the call, when no first event arrives in time, or when the signal is aborted. For one reader. */
  readonly events: AsyncIterable<Exclude<TailEvent, { kind: 'ready' }>>
  /** Returns the end so far; it is final once `events` has ended. */
  end(): FollowedEnd
}

export interface FollowCallOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly words?: OutcomeWords | undefined
  /** Time to wait for the first event, in milliseconds. Default: 60,000. */
  readonly eventTimeout?: number | undefined
  /** Called once if no event has arrived after 10 s. */
  onSilence?(): void
}

const silenceMs = 10_000
const defaultEventTimeoutMs = 60_000

/** Follows a call whose events, and no others, arrive at `tail` (interface.md 4.8 and 6). Closes the tail at the end of the call. */
export function followCall(tail: Tail, options: FollowCallOptions): FollowedCall {
  const { clock, signal, words, eventTimeout = defaultEventTimeoutMs, onSilence = () => {} } = options
  const close = () => void tail.close()
  const ending = endWithCall(close, clock, event => 'callId' in event)
  let isTimedOut = false
  let last: LastStatus
  const messages: MessageChange[] = []
  const statuses: { readonly status: string; readonly phoneCallStatus: string | null }[] = []
  const types = new Set<string>()
  const handleEvent = (event: TailEvent) => {
    if (event.kind === 'message') messages.push(event)
    else if (event.kind === 'event') types.add(event.type)
    else if (event.kind === 'status') {
      last = event
      statuses.push({ status: event.status, phoneCallStatus: event.phoneCallStatus ?? null })
    }
    ending.onEvent(event)
  }
  async function* events() {
    if (signal.aborted) close()
    else signal.addEventListener('abort', close, { once: true })
    const cancelSilence = startTimer(silenceMs, onSilence, clock)
    const cancelTimeout = startTimer(
      eventTimeout,
      () => {
        isTimedOut = true
        close()
      },
      clock,
    )
    try {
      for await (const event of tail.events) {
        if (event.kind === 'ready' || signal.reason === 'EPIPE') continue
        if (event.kind !== 'summary') {
          cancelSilence()
          cancelTimeout()
        }
        yield event
        handleEvent(event)
      }
    } finally {
      cancelSilence()
      cancelTimeout()
      signal.removeEventListener('abort', close)
    }
  }
  return {
    events: events(),
    end() {
      if (isTimedOut && !ending.isOver) return { kind: 'no-events', timeoutMs: eventTimeout }
      if (!ending.isOver) return { kind: 'left' }
      const endedBy = last?.callEndTriggerBy ?? null
      const outcome = readOutcome({ statuses, messages, endedBy, types: [...types] }, words)
      if (isTaken(outcome)) return { kind: 'answered', outcome, last }
      return { kind: 'unanswered', outcome, reason: readUnansweredStatus(statuses), last }
    },
  }
}
