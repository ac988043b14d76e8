import type { CallerTurn } from '../../files/formats/caller-script.ts'
import {
  andThen,
  type CallEffect,
  type CallPlan,
  type CallState,
  type EngineStep,
  isListening,
  step,
} from './call-state.ts'
import { end, startAssistant, startCaller } from './speaking.ts'

/**
 * Decides who speaks next, until one side speaks or both wait. The caller may start at any time; the assistant starts when neither side
 * speaks. When everything is said, the assistant ends the call if it meant to; otherwise the caller has the floor.
 */
export function proceed(plan: CallPlan, state: CallState, at: number): EngineStep {
  const effects: CallEffect[] = []
  let current = state
  for (let next = move(plan, state, at); next !== undefined; next = move(plan, current, at)) {
    effects.push(...next.effects)
    current = next.state
  }
  return { state: current, effects }
}

/** One thing that happens by itself; undefined when there is none. */
function move(plan: CallPlan, state: CallState, at: number): EngineStep | undefined {
  if (state.phase !== 'ongoing') return undefined
  const [line, ...callerNext] = state.callerNext
  if (state.caller === undefined && line !== undefined)
    return startCaller(plan, { ...state, callerNext }, line, at)
  if (state.caller !== undefined || state.assistant !== undefined) return undefined
  const [utterance, ...assistantNext] = state.assistantNext
  if (utterance !== undefined) return startAssistant(plan, { ...state, assistantNext }, utterance, at)
  if (state.closing !== undefined) return end(plan, state, 'assistant', at)
  if (state.thinking || state.waiting !== undefined) return undefined
  if (isIdleUnheard(plan, state)) return listenForSilence(plan, state)
  if (state.silent) return undefined
  if (state.interruptions.length > 0) return step(interruptsNow(state))
  if (plan.script === undefined)
    return isListening(state)
      ? undefined
      : step({ ...state, listeningSince: state.moment }, { type: 'listen' })
  const turn = plan.script[state.turnsTaken]
  return turn === undefined || turn.type === 'hang-up'
    ? end(plan, state, 'user', at)
    : takeScriptTurn(plan, state, turn)
}

/** True if the caller is silent and no timer runs for it; a scripted caller is silent only on purpose. */
function isIdleUnheard(
  { idle, script }: CallPlan,
  { silent, moment, idleSince, idleMessages }: CallState,
): boolean {
  if (script !== undefined && !silent) return false
  return idleSince !== moment && (idle.most === undefined || idleMessages < idle.most)
}

/** idleTimeout and maxIdleMessagesInSequence: once for each silence. */
function listenForSilence({ idle }: CallPlan, state: CallState): EngineStep {
  const { moment } = state
  return step(
    { ...state, idleSince: moment },
    { type: 'after', milliseconds: idle.after, event: { type: 'idle', moment } },
  )
}

/** The caller says this as soon as the caller's own words before it are said. */
export function queueCallerLine(state: CallState, text: string): CallState {
  const line = text.trim()
  return line === '' ? state : { ...state, callerNext: [...state.callerNext, line] }
}

/** The caller says the first of the interruptions that wait. */
export function interruptsNow(state: CallState): CallState {
  const [text, ...interruptions] = state.interruptions
  return text === undefined ? state : queueCallerLine({ ...state, interruptions }, text)
}

/** Milliseconds to press a key. */
const timeOfKey = 300

/** dtmfInputEnabled: the keys are a line of the caller; else they have no effect, and one warning says so. */
export function sendDtmf(plan: CallPlan, state: CallState, keys: string): EngineStep {
  if (plan.keysHeard) return step(queueCallerLine(state, keys))
  const pressed = pause({ ...state, keysUnheard: true }, keys.length * timeOfKey)
  if (state.keysUnheard) return pressed
  const message = 'the keys that the caller presses are not heard: dtmfInputEnabled is not true'
  return { state: pressed.state, effects: [...pressed.effects, { type: 'warning', message }] }
}

/** The caller says nothing for this many milliseconds, unless a line comes in. */
export function pause(state: CallState, milliseconds: number): EngineStep {
  const silences = state.silences + 1
  return step(
    { ...state, silent: true, silences },
    { type: 'after', milliseconds, event: { type: 'silence-over', silence: silences } },
  )
}

function takeScriptTurn(
  plan: CallPlan,
  state: CallState,
  turn: Exclude<CallerTurn, { type: 'hang-up' }>,
): EngineStep {
  const nextState = { ...state, turnsTaken: state.turnsTaken + 1 }
  if (turn.type === 'keys') return sendDtmf(plan, nextState, turn.keys)
  if (turn.type === 'silence') {
    // As with a live caller, a silence of just idleTimeout is one that the assistant asks into.
    const silent = { ...nextState, silent: true }
    const listening = isIdleUnheard(plan, silent) ? listenForSilence(plan, silent) : step(silent)
    return andThen(listening, next => pause(next, turn.milliseconds))
  }
  return step(queueCallerLine(nextState, turn.text))
}
