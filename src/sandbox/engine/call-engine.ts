import { saysPhrase } from '../../lib/text/words.ts'
import {
  andThen,
  type CallEvent,
  type CallPlan,
  type CallState,
  type EngineStep,
  step,
} from './call-state.ts'
import { interruptsNow, pause, proceed, queueCallerLine, sendDtmf } from './floor.ts'
import {
  abandonReply,
  addMessage,
  canInterrupt,
  cutInLater,
  cutShort,
  end,
  heardSoFar,
  isRead,
  queueUtterance,
} from './speaking.ts'
import { acknowledge, waitBeforeReply } from './turn-taking.ts'

type Happening = Exclude<CallEvent, { type: 'placed' | 'picked-up' | 'given-up' | 'limit' | 'hang-up' }>

/**
 * Advances a call, a pure state machine, by one event (interface.md 2.1, 2.3 and 3). Statuses only move forward, and nothing follows
 * the end. All lines of the caller are heard, in order; the assistant only abandons a reply if the caller keeps talking. An event that
 * does not fit the state (a late timer, a cancelled reply) changes nothing. `at` is the time of the call at which it happens, in milliseconds since the epoch.
 */
export function advanceCall(plan: CallPlan, state: CallState, event: CallEvent, at: number): EngineStep {
  if (state.phase === 'finished') return step(state)
  if (state.phase !== 'ongoing') return startCall(plan, state, event, at)
  switch (event.type) {
    case 'hang-up':
      return end(plan, state, event.by, at)
    case 'limit':
      return end(plan, state, 'system', at)
    case 'placed':
    case 'picked-up':
    case 'given-up':
      return step(state)
    default:
      return andThen(happen(plan, state, event, at), next => proceed(plan, next, at))
  }
}

function startCall(plan: CallPlan, state: CallState, event: CallEvent, at: number): EngineStep {
  const { rings, unanswered } = plan.phone
  if (event.type === 'placed' && state.phase === 'new') {
    const type = unanswered === undefined ? 'picked-up' : 'given-up'
    return step(
      { ...state, phase: 'queued' },
      { type: 'status', status: 'queued' },
      { type: 'after', milliseconds: rings, event: { type } },
    )
  }
  if (event.type === 'hang-up') return end(plan, { ...state, phoneCallStatus: 'canceled' }, event.by, at)
  if (state.phase !== 'queued') return step(state)
  if (event.type === 'given-up') return end(plan, { ...state, phoneCallStatus: unanswered }, 'system', at)
  return event.type === 'picked-up' ? pickUp(plan, state, at) : step(state)
}

function pickUp(plan: CallPlan, state: CallState, at: number): EngineStep {
  const { welcome, maxDuration, phone } = plan
  const ongoing = welcome.callerFirst ? state : queueUtterance(state, 'welcome', welcome.message)
  const { cut } = phone
  const pickedUp = step(
    {
      ...queueCallerLine(ongoing, phone.greeting),
      phase: 'ongoing',
      startedAt: at,
      welcomed: !welcome.callerFirst,
    },
    { type: 'status', status: 'ongoing' },
    { type: 'after', milliseconds: maxDuration, event: { type: 'limit' } },
    ...(cut === undefined
      ? []
      : [{ type: 'after', milliseconds: cut.after, event: { type: 'hang-up', by: cut.by } } as const]),
  )
  return andThen(pickedUp, next => proceed(plan, next, at))
}

function happen(plan: CallPlan, state: CallState, event: Happening, at: number): EngineStep {
  switch (event.type) {
    case 'spoken':
      if (state.assistant?.id === event.id) return onSpoken(plan, state, state.assistant.speech.text, at)
      return state.caller?.id === event.id ? heard(plan, state, state.caller, at) : step(state)
    case 'barge-in':
      return state.caller?.id === event.id ? bargeIn(plan, state, at) : step(state)
    case 'cut-in':
      return state.assistant?.id === event.id ? cutIn(plan, state) : step(state)
    case 'turn':
      return state.waiting === event.moment ? takeTurn(plan, { ...state, waiting: undefined }) : step(state)
    case 'idle':
      return state.moment === event.moment
        ? step({ ...queueUtterance(state, 'idle', plan.idle.message), idleMessages: state.idleMessages + 1 })
        : step(state)
    case 'silence-over':
      return step(state.silences === event.silence ? { ...state, silent: false } : state)
    case 'drafted':
      return isExpected(state, event) ? applyDraft(state, event.text) : step(state)
    case 'made':
      return isExpected(state, event) ? step(onMade(state, event)) : step(state)
    case 'replied':
      return isExpected(state, event) ? applyReply(plan, state, event) : step(state)
    case 'say':
      return step(
        event.role === 'assistant'
          ? queueUtterance(withFloor(state), 'said', event.text)
          : queueCallerLine(withFloor(state), event.text),
      )
    case 'interrupt':
      return interrupt(plan, withFloor(state), event.text, at)
    case 'keys':
      return sendDtmf(plan, withFloor(state), event.keys)
    case 'silence':
      return pause(withFloor(state), event.milliseconds)
  }
}

/** Something came from outside: where the caller still has the floor, a live caller hears so again. */
function withFloor(state: CallState): CallState {
  return { ...state, listeningSince: undefined }
}

function isExpected(state: CallState, { turn }: { turn: number }): boolean {
  return state.thinking && state.turn === turn
}

function onSpoken(plan: CallPlan, state: CallState, text: string, at: number): EngineStep {
  return addMessage(plan, { ...state, assistant: undefined }, { role: 'assistant', text, at })
}

/** Handles a complete line of the caller: it ends the call, or the assistant replies after a moment. */
function heard(
  plan: CallPlan,
  state: CallState,
  { speech, overAssistant }: NonNullable<CallState['caller']>,
  at: number,
): EngineStep {
  const alone = { ...state, caller: undefined, idleMessages: 0 }
  return andThen(addMessage(plan, alone, { role: 'user', text: speech, at }), after => {
    if (after.closing !== undefined) return step(after)
    const afterQuestion = { ...after, unanswered: [...after.unanswered, speech] }
    const { endCall } = plan
    if (endCall !== undefined && saysPhrase(speech, endCall.phrases)) {
      return andThen(abandonReply(afterQuestion), quiet => step(close(quiet, endCall.message)))
    }
    // A caller who talks over the assistant without stopping it gets a reply afterwards; otherwise the reply starts again.
    return andThen(overAssistant ? step(afterQuestion) : abandonReply(afterQuestion), waiting =>
      step(
        { ...waiting, waiting: waiting.moment },
        {
          type: 'after',
          milliseconds: waitBeforeReply(speech, plan.turnTaking),
          event: { type: 'turn', moment: waiting.moment },
        },
      ),
    )
  })
}

function takeTurn(plan: CallPlan, state: CallState): EngineStep {
  if (state.thinking) return step({ ...state, thinkAgain: true })
  // A welcome message that waited for the caller is said before the reply, so that neither is lost.
  const welcomed = state.welcomed ? state : queueUtterance(state, 'welcome', plan.welcome.message)
  const turn = state.turn + 1
  const lines = state.unanswered
  return step(
    {
      ...welcomed,
      welcomed: true,
      turn,
      thinking: true,
      thinkAgain: false,
      draft: '',
      inQuestion: lines.length,
      questionCount: state.questionCount + 1,
    },
    { type: 'think', turn, lines },
  )
}

function applyDraft(state: CallState, text: string): EngineStep {
  const next = { ...state, draft: state.draft + text }
  return step(isRead(next) ? interruptsNow(next) : next, { type: 'draft', text })
}

function onMade(state: CallState, { text, fallback }: Extract<CallEvent, { type: 'made' }>): CallState {
  const answers = state.unanswered.slice(0, state.inQuestion)
  const rest = { ...state, draft: '', unanswered: state.unanswered.slice(state.inQuestion), inQuestion: 0 }
  return queueUtterance(rest, 'reply', text, { answers, fallback })
}

function applyReply(
  plan: CallPlan,
  state: CallState,
  { answered, ending }: { readonly answered: boolean; readonly ending: CallEnding | undefined },
): EngineStep {
  const closingState: CallState = {
    ...state,
    thinking: false,
    draft: '',
    unanswered: state.unanswered.slice(state.inQuestion),
    inQuestion: 0,
    answerCount: state.answerCount + (answered ? 1 : 0),
  }
  if (ending !== undefined)
    return step(close(closingState, ending.message, ending.kind === 'forward' ? ending.target : undefined))
  return state.thinkAgain ? takeTurn(plan, closingState) : step(closingState)
}

type CallEnding = NonNullable<Extract<CallEvent, { type: 'replied' }>['ending']>

function close(
  state: CallState,
  message: string,
  forwardTo?: Extract<CallEnding, { kind: 'forward' }>['target'],
): CallState {
  return { ...queueUtterance(state, 'closing', message), waiting: undefined, closing: { forwardTo } }
}

/** The assistant stops speaking; the words that were heard remain. */
function bargeIn(plan: CallPlan, state: CallState, at: number): EngineStep {
  if (!canInterrupt(plan, state)) return step(state)
  const filler = acknowledge(heardSoFar(state, at), state.acknowledged, plan.turnTaking)
  return andThen(cutShort(plan, state, at), silent =>
    andThen(abandonReply(silent), quiet =>
      step(
        filler === undefined
          ? quiet
          : { ...queueUtterance(quiet, 'acknowledgement', filler), acknowledged: quiet.acknowledged + 1 },
      ),
    ),
  )
}

/** It waits for words of the assistant; the caller who types reads them as they are made. */
function interrupt(plan: CallPlan, state: CallState, text: string, at: number): EngineStep {
  const waiting = { ...state, interruptions: [...state.interruptions, text] }
  return isRead(state) ? step(interruptsNow(waiting)) : cutInLater(plan, waiting, at)
}

/** A scripted interruption, or one that waited: the caller begins while the assistant speaks. */
function cutIn(plan: CallPlan, state: CallState): EngineStep {
  const next = plan.script?.[state.turnsTaken]
  if (next?.type !== 'interrupt') return step(interruptsNow(state))
  return step(queueCallerLine({ ...state, turnsTaken: state.turnsTaken + 1 }, next.text))
}
