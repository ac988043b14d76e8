import { type CallPlan, type CallState, type EngineStep, step } from './call-state.ts'
import type { CallerTurn } from './caller-script.ts'

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

/** dtmfInputEnabled: the keys are a line of the caller, or nobody hears them, which is told once. */
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

/** What the caller does with the floor. */
export function takeScriptTurn(
  plan: CallPlan,
  state: CallState,
  turn: Exclude<CallerTurn, { type: 'hang-up' }>,
): EngineStep {
  const taken = { ...state, turnsTaken: state.turnsTaken + 1 }
  if (turn.type === 'keys') return sendDtmf(plan, taken, turn.keys)
  if (turn.type === 'silence') return pause(taken, turn.milliseconds)
  return step(queueCallerLine(taken, turn.text))
}
