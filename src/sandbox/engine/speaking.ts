import { speechTime } from '../../lib/text/speech-time.ts'
import {
  andThen,
  type CallPlan,
  type CallState,
  type EndedBy,
  type EngineStep,
  type Message,
  type Role,
  step,
  type Utterance,
  type UtteranceKind,
} from './call-state.ts'
import { bargeInAfter, heardWithin } from './turn-taking.ts'

/** The assistant says this when its words before it are said. Blank texts are not said. */
export function queueUtterance(
  state: CallState,
  kind: UtteranceKind,
  text: string,
  more: Partial<Utterance> = {},
): CallState {
  if (text.trim() === '') return state
  return {
    ...state,
    assistantNext: [...state.assistantNext, { kind, text: text.trim(), answers: [], ...more }],
  }
}

/** The conversation gains a message. */
export function addMessage(
  { callId }: CallPlan,
  state: CallState,
  fields: { readonly role: Role; readonly text: string; readonly at: number; readonly interrupted?: true },
): EngineStep {
  const message: Message = { messageId: `${callId}-${state.messages.length + 1}`, ...fields }
  return step({ ...state, messages: [...state.messages, message] }, { type: 'conversation', message })
}

/** The assistant begins to say this. */
export function startAssistant(plan: CallPlan, state: CallState, speech: Utterance, at: number): EngineStep {
  const moment = state.moment + 1
  const takes = speechTime(speech.text)
  const speaking = step(
    { ...state, moment, assistant: { id: moment, speech, since: at } },
    { type: 'after', milliseconds: takes, event: { type: 'spoken', id: moment } },
  )
  return andThen(speaking, next => cutInLater(plan, next, at))
}

/** A pending interruption happens in the middle of the assistant's message. */
export function cutInLater(plan: CallPlan, state: CallState, at: number): EngineStep {
  const { assistant, interruptions, turnsTaken } = state
  const waits = interruptions.length > 0 || plan.script?.[turnsTaken]?.type === 'interrupt'
  if (assistant === undefined || !waits) return step(state)
  const { id, speech, since } = assistant
  if (speech.kind !== 'welcome' && speech.kind !== 'reply') return step(state)
  const milliseconds = Math.max(0, since + Math.round(speechTime(speech.text) / 2) - at)
  return step(state, { type: 'after', milliseconds, event: { type: 'cut-in', id } })
}

/** The caller begins to say this, also while the assistant speaks. */
export function startCaller(plan: CallPlan, state: CallState, speech: string, at: number): EngineStep {
  const moment = state.moment + 1
  const caller = { id: moment, speech, since: at, overAssistant: hasFloor(state) }
  const stops = canInterrupt(plan, state) ? bargeInAfter(speech, plan.turnTaking) : undefined
  return step(
    { ...state, moment, caller, waiting: undefined, silent: false },
    ...(stops === undefined
      ? []
      : [{ type: 'after', milliseconds: stops, event: { type: 'barge-in', id: moment } } as const]),
    {
      type: 'after',
      milliseconds: speechTime(speech),
      event: { type: 'spoken', id: moment },
    },
  )
}

/** True if the caller can stop the assistant now. */
export function canInterrupt(plan: CallPlan, state: CallState): boolean {
  if (!hasFloor(state)) return false
  const kind = state.assistant?.speech.kind
  return kind === 'welcome' ? plan.welcome.interruptible : kind !== 'closing'
}

/** The assistant speaks, or its words are read as they are made. */
function hasFloor(state: CallState): boolean {
  return state.assistant !== undefined || isRead(state)
}

/** The caller has read words of the message that is being made. */
export function isRead({ draft }: CallState): boolean {
  return draft.trim() !== ''
}

/** The assistant's words of now, as far as the caller knows them. */
export function heardSoFar({ assistant, draft }: CallState, at: number): string {
  return assistant === undefined ? draft : heardWithin(assistant.speech.text, at - assistant.since)
}

/** The assistant stops in the middle; the words that were heard are a message. */
export function cutShort(plan: CallPlan, state: CallState, at: number): EngineStep {
  const text = heardSoFar(state, at).trim()
  // A draft that was read counts as a reply to the caller's lines, complete or not.
  const drafted = state.assistant === undefined
  const silent: CallState = {
    ...state,
    assistant: undefined,
    ...(drafted ? { unanswered: state.unanswered.slice(state.inQuestion), inQuestion: 0 } : {}),
  }
  if (text === '') return step(silent)
  const whole = text === state.assistant?.speech.text
  return addMessage(plan, silent, { role: 'assistant', text, at, ...(whole ? {} : { interrupted: true }) })
}

/** Drops the unsaid part of the reply and stops waiting for the rest. */
export function abandonReply(state: CallState): EngineStep {
  const rest: CallState = {
    ...state,
    thinking: false,
    draft: '',
    inQuestion: 0,
    assistantNext: state.assistantNext.filter(({ kind }) => kind !== 'reply'),
    unanswered: [...state.assistantNext.flatMap(({ answers }) => answers), ...state.unanswered],
  }
  return state.thinking ? step(rest, { type: 'cancel', turn: state.turn }) : step(rest)
}

/** Keeps the part that each side had said when the call ended. */
function keepWhatWasSaid(plan: CallPlan, state: CallState, at: number): EngineStep {
  return andThen(cutShort(plan, state, at), next => {
    const { caller } = next
    if (caller === undefined) return step(next)
    const silent = { ...next, caller: undefined }
    const text = heardWithin(caller.speech, at - caller.since)
    if (text === '') return step(silent)
    const whole = text === caller.speech
    return addMessage(plan, silent, { role: 'user', text, at, ...(whole ? {} : { interrupted: true }) })
  })
}

/** The call is over. Words of both sides that were already heard stay said; nothing follows. */
export function end(plan: CallPlan, state: CallState, endedBy: EndedBy, at: number): EngineStep {
  return andThen(keepWhatWasSaid(plan, state, at), after =>
    andThen(abandonReply(after), quiet =>
      step(
        {
          ...quiet,
          phase: 'finished',
          assistantNext: [],
          callerNext: [],
          waiting: undefined,
          silent: false,
          endedBy,
          endedAt: at,
          forwardedTo: endedBy === 'assistant' ? quiet.closing?.forwardTo : undefined,
        },
        { type: 'status', status: 'finished' },
      ),
    ),
  )
}
