import {
  type AppliedEvent,
  type CallBuilder,
  type CallKey,
  type CallTranscript,
  createCallBuilder,
  getCallKey,
} from '../../events/conversation/index.ts'
import { getOutcome, getSpeaker, type OutcomeWords } from '../../events/conversation/read-outcome.ts'
import { getServiceDuration } from '../../events/transcript/call-words.ts'
import { type CallOutcome, foldWord } from '../../interface/words.ts'
import { dropOldest } from '../../lib/drop-oldest.ts'
import type { Immutable } from '../../lib/json.ts'

/** Part of a call's life. */
export type CallPhase = 'queued' | 'ringing' | 'talking' | 'ended'

export interface CallEnd {
  readonly outcome: CallOutcome
  /** Duration by the times of the service, or else by the arrival of the events; null if neither is known. */
  readonly seconds: number | null
  /** callEndTriggerBy. */
  readonly endedBy: string | null
}

/** End of a call, as far as its events have told. */
export interface EndedCall extends CallEnd {
  readonly analysis: Immutable<Record<string, unknown>> | null
  /** Last status, status of the phone and end trigger, as received. */
  readonly words: readonly string[]
}

/** State of a call after an event. */
export interface CallUpdate {
  /** Null for a call whose events have no id. */
  readonly callId: string | null
  readonly userNumber: string | null
  readonly assistantNumber: string | null
  /** Arrival of the event, milliseconds since the epoch. */
  readonly at: number
  readonly phase: CallPhase
  readonly last: { readonly role: string; readonly text: string } | null
  /** Messages of the caller that the event brought or changed. */
  readonly userLines: readonly string[]
  readonly ended: EndedCall | undefined
}

export type CallTracker = ReturnType<typeof createCallTracker>

/** Calls that have ended and are kept, because an analysis may arrive later. */
const maxEnded = 1000
/** Calls whose end has not arrived. */
const maxLive = 100_000

/** Follows any number of calls by their events. Ended calls are forgotten after a thousand others, live ones after 100,000. */
export function createCallTracker({ words }: { readonly words?: OutcomeWords | undefined } = {}) {
  const live = new Map<CallKey, TrackedCall>()
  const ended = new Map<CallKey, TrackedCall>()
  return {
    /** Takes an event that arrived at `at`. Returns undefined for an event of no call. */
    update(appliedEvent: AppliedEvent, at: number): CallUpdate | undefined {
      const key = getCallKey(appliedEvent.origin)
      if (key === 0) return undefined
      const arrived = new Date(at).toISOString()
      const call = live.get(key) ??
        ended.get(key) ?? {
          builder: createCallBuilder(appliedEvent.origin, arrived),
          talkingSince: undefined,
          endedAt: at,
        }
      const wasOver = call.builder.call.ended
      const changed = call.builder.add({ ...appliedEvent, at: arrived })
      if (call.builder.call.ended && !wasOver) call.endedAt = at
      const phase = phaseOf(call.builder.call)
      if (phase === 'talking') call.talkingSince ??= at
      live.delete(key)
      remember(phase === 'ended' ? ended : live, key, call, phase === 'ended' ? maxEnded : maxLive)
      return toUpdate(call, { at, phase, changed, callId: appliedEvent.origin.callId, words })
    },
  }
}

interface TrackedCall {
  readonly builder: CallBuilder
  /** Arrival of the first event of a conversation. */
  talkingSince: number | undefined
  endedAt: number
}

interface UpdateParts {
  readonly at: number
  readonly phase: CallPhase
  readonly callId: string | null
  /** Indexes of the messages that are new or edited. */
  readonly changed: readonly number[]
  readonly words: OutcomeWords | undefined
}

function toUpdate(call: TrackedCall, { at, phase, changed, callId, words }: UpdateParts): CallUpdate {
  const { messages, userNumber, assistantNumber } = call.builder.call
  const last = messages.at(-1)
  const outcome = getOutcome(call.builder.call, words)
  const userLines = changed.flatMap(index => {
    const message = messages[index]
    return message !== undefined && getSpeaker(message.role) === 'user' ? [message.text] : []
  })
  return {
    callId,
    userNumber,
    assistantNumber,
    at,
    phase,
    last: last === undefined ? null : { role: last.role, text: last.text },
    userLines,
    ended: outcome === null ? undefined : toEnded(call, outcome),
  }
}

function toEnded({ builder, talkingSince, endedAt }: TrackedCall, outcome: CallOutcome): EndedCall {
  const { analysis, callEndTriggerBy: endedBy, statuses } = builder.call
  const last = statuses.at(-1)
  const measured = talkingSince === undefined ? null : (endedAt - talkingSince) / 1000
  return {
    outcome,
    seconds: callSeconds(builder.call) ?? measured,
    endedBy,
    analysis,
    words: [last?.status, last?.phoneCallStatus, endedBy].flatMap(word => word ?? []),
  }
}

/** Duration of a call in seconds by the times of the service (interface.md 2.9); null without two times in order. */
export function callSeconds(call: Parameters<typeof getServiceDuration>[0]): number | null {
  const milliseconds = getServiceDuration(call)
  return milliseconds === undefined ? null : milliseconds / 1000
}

function phaseOf({ ended, messages, statuses }: CallTranscript): CallPhase {
  if (ended) return 'ended'
  const { status, phoneCallStatus } = statuses.at(-1) ?? { status: 'queued', phoneCallStatus: null }
  const words = [phoneCallStatus, status].flatMap(word => (word === null ? [] : [foldWord(word)]))
  if (messages.length > 0 || words.some(word => talkingWords.includes(word))) return 'talking'
  return words.some(word => ringingWords.includes(word)) ? 'ringing' : 'queued'
}

const talkingWords = ['ongoing', 'in-progress', 'answered']
const ringingWords = ['ringing', 'alerting']

/** Puts the call at the end, and forgets the first one beyond `limit`. */
function remember(calls: Map<CallKey, TrackedCall>, key: CallKey, call: TrackedCall, limit: number): void {
  calls.delete(key)
  calls.set(key, call)
  dropOldest(calls, limit)
}
