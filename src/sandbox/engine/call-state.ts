import type { CallerTurn } from '../../files/formats/caller-script.ts'
import type { UnansweredStatus, WebhookStatus } from '../../interface/words.ts'
import type { CallForwardTarget, ReplyEnding } from './reply.ts'
import type { TurnTaking } from './turn-taking.ts'

export type Role = 'user' | 'assistant'
export type EndedBy = 'user' | 'assistant' | 'system' | 'control'

/** Behavior of the called phone. Times are milliseconds. */
export interface PhonePlan {
  /** Time until somebody picks up, or the call is abandoned. */
  readonly rings: number
  /** Reason why nobody picks up; undefined if somebody does. */
  readonly unanswered: UnansweredStatus | undefined
  /** Greeting of voicemail; empty if a person picks up. */
  readonly greeting: string
  /** Ends the call this long after it is picked up, in the middle of speech. */
  readonly cut: { readonly after: number; readonly by: EndedBy } | undefined
}

/** Constants of a call, fixed when it is placed. Times are milliseconds. */
export interface CallPlan {
  readonly callId: string
  readonly phone: PhonePlan
  readonly welcome: {
    /** Empty: nothing is said. */
    readonly message: string
    /** welcomeMessageMode `assistant-waits-for-user`. */
    readonly callerFirst: boolean
    /** welcomeMessageInterruptionsEnabled. */
    readonly interruptible: boolean
  }
  /** After its last turn the caller hangs up. Undefined: a live caller, whose lines come from outside. */
  readonly script: readonly CallerTurn[] | undefined
  readonly turnTaking: TurnTaking
  /** Message said into silence, and how many times in a row; undefined: without limit. */
  readonly idle: { readonly after: number; readonly most: number | undefined; readonly message: string }
  /** dtmfInputEnabled: the keys that the caller presses are a line of the caller. */
  readonly keysHeard: boolean
  /** Undefined: the end-call tool is off. */
  readonly endCall: { readonly phrases: readonly string[]; readonly message: string } | undefined
  readonly maxDuration: number
}

/** interface.md 2.9. `at` is when its last word was said: milliseconds since the epoch, in the time of the call. */
export interface Message {
  readonly messageId: string
  readonly role: Role
  readonly text: string
  readonly at: number
  /** The end of it was not said. */
  readonly interrupted?: true
}

/** Reason for an utterance. A reply is abandoned if the caller keeps talking; everything else is said eventually. */
export type UtteranceKind = 'welcome' | 'reply' | 'idle' | 'acknowledgement' | 'closing' | 'said'

export interface Utterance {
  readonly kind: UtteranceKind
  readonly text: string
  /** Lines of the caller that the reply is about: asked again if it is abandoned unsaid. */
  readonly answers: readonly string[]
  /** True if it says that the sandbox does not know. */
  readonly fallback?: true | undefined
}

export interface Speech<Said> {
  /** Distinct within a call. */
  readonly id: number
  readonly speech: Said
  readonly since: number
}

export interface CallState {
  readonly phase: 'new' | 'queued' | 'ongoing' | 'finished'
  readonly messages: readonly Message[]
  /** Both may speak at once: the caller may talk over the assistant. */
  readonly assistant: Speech<Utterance> | undefined
  readonly caller: (Speech<string> & { readonly overAssistant: boolean }) | undefined
  /** Next utterances of each side, in order. */
  readonly assistantNext: readonly Utterance[]
  readonly callerNext: readonly string[]
  /** Interruptions of the caller for the next time the assistant speaks, each used once. */
  readonly interruptions: readonly string[]
  /** Turns of the script that were taken. */
  readonly turnsTaken: number
  readonly welcomed: boolean
  /** The reply that is made, or was made last; counts from 1. */
  readonly turn: number
  readonly thinking: boolean
  /** Another reply is due when this one is made. */
  readonly thinkAgain: boolean
  /** Draft of the next message of the reply, if the caller reads along. */
  readonly draft: string
  /** Lines of the caller without a reply; the reply in progress is about the first `inQuestion`. */
  readonly unanswered: readonly string[]
  readonly inQuestion: number
  /** Number of the `turn` timer that ends the wait before a reply, during which the caller may continue. */
  readonly waiting: number | undefined
  /** The caller says nothing on purpose, for the `silences`th time; a `silence-over` timer ends it. */
  readonly silent: boolean
  readonly silences: number
  /** The caller pressed keys that have no effect. */
  readonly keysUnheard: boolean
  /** Rises whenever one side begins to speak: a timer of an earlier moment is stale. */
  readonly moment: number
  /** The moments at which silence was last listened to, and the caller was last given the floor. */
  readonly idleSince: number | undefined
  readonly listeningSince: number | undefined
  readonly idleMessages: number
  readonly acknowledged: number
  /** The assistant is about to end the call, when all is said. */
  readonly closing: { readonly forwardTo: CallForwardTarget | undefined } | undefined
  /** Replies that were requested, and those that were not fallbacks. */
  readonly questionCount: number
  readonly answerCount: number
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly endedBy: EndedBy | undefined
  readonly phoneCallStatus: UnansweredStatus | undefined
  readonly forwardedTo: CallForwardTarget | undefined
}

export type ControlCommand =
  | { readonly type: 'say'; readonly role: Role; readonly text: string }
  /** The caller says it while the assistant speaks next; with nothing to interrupt, when the caller has the floor. */
  | { readonly type: 'interrupt'; readonly text: string }
  | { readonly type: 'keys'; readonly keys: string }
  | { readonly type: 'silence'; readonly milliseconds: number }
  | { readonly type: 'hang-up'; readonly by: EndedBy }

/** Timer event, whose data identifies stale timers. A phone that stopped ringing, or never rang, is abandoned. */
type TimerEvent =
  | { readonly type: 'picked-up' | 'given-up' | 'limit' }
  | { readonly type: 'spoken' | 'barge-in' | 'cut-in'; readonly id: number }
  | { readonly type: 'turn' | 'idle'; readonly moment: number }
  | { readonly type: 'silence-over'; readonly silence: number }
  | Extract<ControlCommand, { type: 'hang-up' }>

export type CallEvent =
  | { readonly type: 'placed' }
  | TimerEvent
  /** The reply with this number; `drafted` only where the caller reads along. */
  | { readonly type: 'drafted'; readonly turn: number; readonly text: string }
  | {
      readonly type: 'made'
      readonly turn: number
      readonly text: string
      readonly fallback?: true | undefined
    }
  | {
      readonly type: 'replied'
      readonly turn: number
      readonly answered: boolean
      readonly ending: ReplyEnding | undefined
    }
  | ControlCommand

export type CallEffect =
  | { readonly type: 'status'; readonly status: WebhookStatus }
  | { readonly type: 'conversation'; readonly message: Message }
  | { readonly type: 'after'; readonly milliseconds: number; readonly event: TimerEvent }
  /** Make reply `turn` to these lines; it comes back as `drafted`, `made` and at last `replied`. */
  | { readonly type: 'think'; readonly turn: number; readonly lines: readonly string[] }
  /** Reply `turn` is not needed any more. */
  | { readonly type: 'cancel'; readonly turn: number }
  /** Words that the caller reads of the message that is being made. */
  | { readonly type: 'draft'; readonly text: string }
  /** A live caller has the floor. */
  | { readonly type: 'listen' }
  | { readonly type: 'warning'; readonly message: string }

export interface EngineStep {
  readonly state: CallState
  readonly effects: readonly CallEffect[]
}

export const newCall: CallState = {
  phase: 'new',
  messages: [],
  assistant: undefined,
  caller: undefined,
  assistantNext: [],
  callerNext: [],
  interruptions: [],
  turnsTaken: 0,
  welcomed: false,
  turn: 0,
  thinking: false,
  thinkAgain: false,
  draft: '',
  unanswered: [],
  inQuestion: 0,
  waiting: undefined,
  silent: false,
  silences: 0,
  keysUnheard: false,
  moment: 0,
  idleSince: undefined,
  listeningSince: undefined,
  idleMessages: 0,
  acknowledged: 0,
  closing: undefined,
  questionCount: 0,
  answerCount: 0,
  startedAt: undefined,
  endedAt: undefined,
  endedBy: undefined,
  phoneCallStatus: undefined,
  forwardedTo: undefined,
}

/** Neither side speaks, no reply is being made, and a live caller was given the floor. */
export function isListening({ moment, listeningSince }: CallState): boolean {
  return listeningSince === moment
}

export function step(state: CallState, ...effects: readonly CallEffect[]): EngineStep {
  return { state, effects }
}

/** Applies a function to the state of a step, and joins the effects. */
export function andThen({ state, effects }: EngineStep, next: (state: CallState) => EngineStep): EngineStep {
  const following = next(state)
  return { state: following.state, effects: [...effects, ...following.effects] }
}
