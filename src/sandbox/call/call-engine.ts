import type { WebhookStatus } from '../../interface/words.ts'
/** What is fixed about a call when it is placed. */
export interface CallPlan {
  readonly callId: string
  /** Empty: nothing is said. */
  readonly welcomeMessage: string
  /** welcomeMessageMode `assistant-waits-for-user`. */
  readonly callerSpeaksFirst: boolean
  /** What the caller says, line by line; after the last one the caller hangs up. */
  readonly callerLines: readonly string[]
  /** Undefined: the end-call tool is off. */
  readonly endCall: { readonly phrases: readonly string[]; readonly message: string } | undefined
  /** Milliseconds after which the call is cut off; undefined: never. */
  readonly maxDuration: number | undefined
}

export type Role = 'user' | 'assistant'
export type EndedBy = 'user' | 'assistant' | 'system' | 'control'

/** interface.md 2.9. `at` is in milliseconds since the epoch, in the time of the call. */
export interface Message {
  readonly messageId: string
  readonly role: Role
  readonly text: string
  readonly at: number
}

interface Utterance {
  readonly role: Role
  readonly text: string
  /** The call ends when it is spoken. */
  readonly last: boolean
}

export interface CallState {
  readonly phase: 'new' | 'queued' | 'ongoing' | 'finished'
  readonly messages: readonly Message[]
  readonly speaking: Utterance | undefined
  /** What is said next, in order. */
  readonly waiting: readonly Utterance[]
  /** A reply to the caller is being made; nobody speaks meanwhile. */
  readonly thinking: boolean
  readonly welcomed: boolean
  readonly linesTaken: number
  /** Replies asked for, and those that were more than a stopgap. */
  readonly asked: number
  readonly answered: number
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly endedBy: EndedBy | undefined
}

export type CallEvent =
  | { readonly type: 'placed' | 'picked-up' | 'spoken' | 'limit' }
  | { readonly type: 'reply'; readonly texts: readonly string[]; readonly answered: boolean }
  | { readonly type: 'say'; readonly role: Role; readonly text: string }
  | { readonly type: 'hang-up'; readonly by: EndedBy }

export type CallEffect =
  | { readonly type: 'status'; readonly status: WebhookStatus }
  /** The conversation gained a message. */
  | { readonly type: 'conversation' }
  | {
      readonly type: 'after'
      readonly milliseconds: number
      readonly event: 'picked-up' | 'spoken' | 'limit'
    }
  /** Make a reply to this line of the caller; it comes back as a `reply` event. */
  | { readonly type: 'reply'; readonly text: string }

export interface Step {
  readonly state: CallState
  readonly effects: readonly CallEffect[]
}

const ringing = 1000
const charactersPerSecond = 14
const shortestSpeech = 400
const longestSpeech = 900

export const newCall: CallState = {
  phase: 'new',
  messages: [],
  speaking: undefined,
  waiting: [],
  thinking: false,
  welcomed: false,
  linesTaken: 0,
  asked: 0,
  answered: 0,
  startedAt: undefined,
  endedAt: undefined,
  endedBy: undefined,
}

/**
 * The call as a pure state machine: what happened, what follows. Statuses only move forward, one speaks at a time, and
 * nothing follows the end. An event that does not fit the state (a late timer) changes nothing. `at` is the time of the
 * call at which it happens, in milliseconds since the epoch.
 */
export function advance(plan: CallPlan, state: CallState, event: CallEvent, at: number): Step {
  const unchanged: Step = { state, effects: [] }
  if (state.phase === 'finished') return unchanged
  switch (event.type) {
    case 'placed':
      return state.phase === 'new' ? place(state) : unchanged
    case 'picked-up':
      return state.phase === 'queued' ? pickUp(plan, state, at) : unchanged
    case 'spoken':
      return state.speaking === undefined ? unchanged : hear(plan, state, state.speaking, at)
    case 'reply':
      return state.thinking ? answer(plan, state, event, at) : unchanged
    case 'say': {
      if (state.phase !== 'ongoing') return unchanged
      const waiting = [...state.waiting, ...utter(event.role, event.text)]
      return proceed(plan, { ...state, waiting }, at)
    }
    case 'limit':
      return state.phase === 'ongoing' ? end(state, 'system', at) : unchanged
    case 'hang-up':
      return end(state, event.by, at)
  }
}

/** Letters and digits alone count: `Good-bye!` ends a call as `good bye` does, `goodbyes` does not. */
export function saysPhrase(line: string, phrases: readonly string[]): boolean {
  const spoken = ` ${toWords(line)} `
  return phrases.map(toWords).some(phrase => phrase !== '' && spoken.includes(` ${phrase} `))
}

function toWords(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}

function place(state: CallState): Step {
  return {
    state: { ...state, phase: 'queued' },
    effects: [
      { type: 'status', status: 'queued' },
      { type: 'after', milliseconds: ringing, event: 'picked-up' },
    ],
  }
}

function pickUp(plan: CallPlan, state: CallState, at: number): Step {
  const ongoing: CallState = { ...state, phase: 'ongoing', startedAt: at }
  const { state: next, effects } = proceed(
    plan,
    plan.callerSpeaksFirst
      ? ongoing
      : { ...ongoing, welcomed: true, waiting: utter('assistant', plan.welcomeMessage) },
    at,
  )
  const limit: CallEffect[] =
    plan.maxDuration === undefined || next.phase === 'finished'
      ? []
      : [{ type: 'after', milliseconds: plan.maxDuration, event: 'limit' }]
  return { state: next, effects: [{ type: 'status', status: 'ongoing' }, ...limit, ...effects] }
}

function hear(plan: CallPlan, before: CallState, { role, text, last }: Utterance, at: number): Step {
  const { callId } = plan
  const messageId = `${callId}-${before.messages.length + 1}`
  const state: CallState = {
    ...before,
    speaking: undefined,
    messages: [...before.messages, { messageId, role, text, at }],
  }
  const heard: CallEffect = { type: 'conversation' }
  const { state: next, effects } = last
    ? end(state, 'assistant', at)
    : role === 'assistant'
      ? proceed(plan, state, at)
      : respond(plan, state, text, at)
  return { state: next, effects: [heard, ...effects] }
}

function respond(plan: CallPlan, state: CallState, text: string, at: number): Step {
  if (plan.endCall !== undefined && saysPhrase(text, plan.endCall.phrases)) {
    const goodbye = utter('assistant', plan.endCall.message, true)
    if (goodbye.length === 0) return end(state, 'assistant', at)
    return proceed(plan, { ...state, waiting: [...goodbye, ...state.waiting] }, at)
  }
  return { state: { ...state, thinking: true, asked: state.asked + 1 }, effects: [{ type: 'reply', text }] }
}

/** A welcome message that waited for the caller is said before the answer: neither is lost. */
function answer(
  plan: CallPlan,
  state: CallState,
  { texts, answered }: Extract<CallEvent, { type: 'reply' }>,
  at: number,
): Step {
  const welcome = state.welcomed ? [] : utter('assistant', plan.welcomeMessage)
  const said = texts.flatMap(text => utter('assistant', text))
  return proceed(
    plan,
    {
      ...state,
      thinking: false,
      welcomed: true,
      answered: state.answered + (answered ? 1 : 0),
      waiting: [...welcome, ...said, ...state.waiting],
    },
    at,
  )
}

/** Lets the next one speak, if nobody does: what waits, else the caller's next line, else the caller hangs up. */
function proceed(plan: CallPlan, state: CallState, at: number): Step {
  if (state.phase !== 'ongoing' || state.speaking !== undefined || state.thinking)
    return { state, effects: [] }
  const [next, ...waiting] = state.waiting
  if (next !== undefined) {
    return {
      state: { ...state, speaking: next, waiting },
      effects: [{ type: 'after', milliseconds: speechTime(next.text), event: 'spoken' }],
    }
  }
  const line = plan.callerLines[state.linesTaken]
  if (line === undefined) return end(state, 'user', at)
  return proceed(plan, { ...state, linesTaken: state.linesTaken + 1, waiting: utter('user', line) }, at)
}

function end(state: CallState, endedBy: EndedBy, endedAt: number): Step {
  return {
    state: {
      ...state,
      phase: 'finished',
      speaking: undefined,
      waiting: [],
      thinking: false,
      endedBy,
      endedAt,
    },
    effects: [{ type: 'status', status: 'finished' }],
  }
}

function utter(role: Role, text: string, last = false): readonly Utterance[] {
  return text.trim() === '' ? [] : [{ role, text, last }]
}

/** Milliseconds; long texts are cut short, so that watching a call stays pleasant. */
function speechTime(text: string): number {
  return Math.min(
    longestSpeech,
    Math.max(shortestSpeech, Math.round((text.length / charactersPerSecond) * 1000)),
  )
}
