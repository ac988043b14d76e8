import type { StatusChange } from '../conversation/index.ts'
import { foldWord, toUnansweredStatus, type UnansweredStatus } from '../interface/words.ts'
import { type Clock, startTimer } from '../lib/clock.ts'
import { isObject } from '../lib/json.ts'
import { withoutQuery } from '../lib/net/address.ts'
import { endWithCall, type Tail, type TailEvent } from '../webhook/index.ts'
import type { Warning } from './deps.ts'

type Body = Readonly<Record<string, unknown>>

/** The last status of a call, if there was one. */
type LastStatus = StatusChange | undefined

/** Outcome of a followed call, from its events. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly last: LastStatus }
  | {
      readonly kind: 'unanswered'
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
  /** Returns the outcome so far; it is final once `events` has ended. */
  outcome(): CallOutcome
}

export interface FollowCallOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Time to wait for the first event, in milliseconds. Default: 60,000. */
  readonly eventTimeout?: number | undefined
  /** Called once if no event has arrived after 10 s. */
  onSilence?(): void
}

const silenceMs = 10_000
const defaultEventTimeoutMs = 60_000

/** Follows a call whose events, and no others, arrive at `tail` (interface.md 4.8 and 6). Closes the tail at the end of the call. */
export function followCall(tail: Tail, options: FollowCallOptions): FollowedCall {
  const { clock, signal, eventTimeout = defaultEventTimeoutMs, onSilence = () => {} } = options
  const close = () => void tail.close()
  const ending = endWithCall(close, clock, event => 'callId' in event)
  let isTimedOut = false
  let isAnswered = false
  let last: LastStatus
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
        isAnswered ||= isAnswer(event)
        if (event.kind === 'status') last = event
        ending.take(event)
      }
    } finally {
      cancelSilence()
      cancelTimeout()
      signal.removeEventListener('abort', close)
    }
  }
  return {
    events: events(),
    outcome() {
      if (isTimedOut && !ending.isOver) return { kind: 'no-events', timeoutMs: eventTimeout }
      if (!ending.isOver) return { kind: 'left' }
      return isAnswered ? { kind: 'answered', last } : toUnansweredOutcome(last)
    },
  }
}

/**
 * Returns the body of a call whose inline assistant sends its events to `url`; the rest of its assistantServer is kept.
 * `replaced` is the URL that the file has, without its query.
 */
export function sendEventsTo(
  body: Body,
  url: string,
): { readonly body: Body; readonly replaced?: string | undefined; readonly warnings: readonly Warning[] } {
  const assistant = isObject(body.assistant) ? body.assistant : {}
  const own = isObject(assistant.assistantServer) ? assistant.assistantServer : {}
  const { enabled, messages } = own
  const lacksStatus = Array.isArray(messages) && !messages.includes('status-update')
  const isReplaced = enabled !== false && typeof own.url === 'string' && URL.canParse(own.url)
  // The file may switch events off for its own server; following a call needs them.
  const assistantServer = { ...own, url, enabled: enabled === false ? true : enabled }
  return {
    body: { ...body, assistant: { ...assistant, assistantServer } },
    replaced: isReplaced ? withoutQuery(String(own.url)) : undefined,
    warnings: lacksStatus ? [noStatusUpdates] : [],
  }
}

const noStatusUpdates = {
  message:
    'assistantServer.messages of the file does not contain status-update, so the service may not report the end of the call',
  hint: 'Ctrl-C ends the command, not the call',
}

/** Returns true for a message, and for a status that says that the call is or was under way. */
function isAnswer(event: TailEvent): boolean {
  if (event.kind === 'message') return true
  if (event.kind !== 'status') return false
  const words = [event.status, event.phoneCallStatus].map(word =>
    typeof word === 'string' ? foldWord(word) : '',
  )
  return words.some(word => answeredWords.includes(word)) || words[1] === 'completed'
}

/** Statuses of the call or of its phone line. `completed` counts for the line alone: an unanswered call is completed too. */
const answeredWords = ['ongoing', 'in-progress', 'answered', 'forwarded']

function toUnansweredOutcome(last: LastStatus): CallOutcome {
  const reason = toUnansweredStatus(last?.phoneCallStatus ?? null) ?? toUnansweredStatus(last?.status)
  return { kind: 'unanswered', reason, last }
}
