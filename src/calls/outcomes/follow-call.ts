import { type CallBuilder, type CallTranscript, createCallBuilder } from '../../events/conversation/index.ts'
import { getOutcome, isTaken, type OutcomeWords } from '../../events/conversation/read-outcome.ts'
import {
  endWithCall,
  openTail,
  type RunningSource,
  type TailEvent,
  type TailOptions,
} from '../../events/receive/index.ts'
import type { CallOutcome } from '../../interface/words.ts'
import { type Clock, startTimer } from '../../lib/clock.ts'

/** End of a followed call, from its events. */
export type FollowedEnd =
  | {
      readonly kind: 'answered' | 'unanswered'
      readonly outcome: CallOutcome
      readonly call: CallTranscript
    }
  /** Nothing arrived in time. */
  | { readonly kind: 'no-events'; readonly timeoutMs: number }
  /** The signal was aborted while the call continues. */
  | { readonly kind: 'left' }

export interface FollowedCall<Running extends RunningSource> {
  readonly source: Running
  /** Ends with the call, when no first event arrives in time, or when the signal is aborted. For one reader. */
  readonly events: AsyncIterable<Exclude<TailEvent, { kind: 'ready' }>>
  /** Returns the end so far; it is final once `events` has ended. */
  end(): FollowedEnd
  close(): Promise<void>
}

export interface FollowCallOptions<Running extends RunningSource> {
  /** Source of the events of this call alone. */
  readonly source: TailOptions<Running>['source']
  readonly recorder?: TailOptions['recorder']
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly words?: OutcomeWords | undefined
  /** Time to wait for the first event once `events` is read, in milliseconds. Default: 60,000. */
  readonly eventTimeout?: number | undefined
  /** Called once if no event has arrived after 10 s. */
  onSilence?(): void
}

const silenceMs = 10_000
const defaultEventTimeoutMs = 60_000

/** Follows the call whose events arrive at a source (interface.md 4.8 and 6). Closes the source at the end of the call. */
export async function followCall<Running extends RunningSource>({
  source,
  recorder,
  clock,
  signal,
  words,
  eventTimeout = defaultEventTimeoutMs,
  onSilence = () => {},
}: FollowCallOptions<Running>): Promise<FollowedCall<Running>> {
  let builder: CallBuilder | undefined
  const tail = await openTail({
    source,
    recorder,
    watcher: {
      observe(appliedEvent) {
        const at = new Date(clock.now()).toISOString()
        builder ??= createCallBuilder(appliedEvent.origin, at)
        // An event without the id of the call belongs to it too.
        const ended = appliedEvent.ended || builder.call.ended
        builder.add({ ...appliedEvent, ended, at })
        return () => undefined
      },
    },
  })
  const close = () => void tail.close()
  const ending = endWithCall(close, clock, event => 'callId' in event)
  let isTimedOut = false
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
        ending.onEvent(event)
      }
    } finally {
      cancelSilence()
      cancelTimeout()
      signal.removeEventListener('abort', close)
    }
  }
  return {
    source: tail.source,
    events: events(),
    end() {
      const outcome = ending.isOver && builder !== undefined ? getOutcome(builder.call, words) : null
      if (outcome !== null && builder !== undefined)
        return { kind: isTaken(outcome) ? 'answered' : 'unanswered', outcome, call: builder.call }
      return isTimedOut ? { kind: 'no-events', timeoutMs: eventTimeout } : { kind: 'left' }
    },
    close: tail.close,
  }
}
