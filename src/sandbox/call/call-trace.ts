import type { CallEffect, CallEvent, CallPlan, CallState, Role } from '../engine/call-state.ts'
import type { CallTrace, WithoutCall } from '../events.ts'

/** One event that the engine took, in the time of the call. */
export interface CallStep {
  readonly before: CallState
  readonly event: CallEvent
  readonly after: CallState
  readonly at: number
  readonly effects: readonly CallEffect[]
}

type Traced = WithoutCall<Extract<CallTrace, { kind: 'caller-began' | 'caller-paused' | 'said' }>>

/** Returns what both sides did in a step. Ends come before the beginnings they cause. */
export function traceStep(plan: CallPlan, step: CallStep): Traced[] {
  const { before, after, at } = step
  const paused = before.silent && (!after.silent || after.silences !== before.silences)
  return [
    ...traceMessages('assistant', step),
    ...traceMessages('user', step),
    ...(paused ? [{ kind: 'caller-paused' as const, at }] : []),
    ...Array.from({ length: turnsBegun(plan, step) }, () => ({ kind: 'caller-began' as const, at })),
  ]
}

function traceMessages(role: Role, { before, after, at }: CallStep): Traced[] {
  const speech = role === 'assistant' ? before.assistant : before.caller
  const now = role === 'assistant' ? after.assistant : after.caller
  if (speech === undefined || speech.id === now?.id) return []
  const message = after.messages.slice(before.messages.length).find(candidate => candidate.role === role)
  const { text, fallback = false } =
    typeof speech.speech === 'string' ? { text: speech.speech } : speech.speech
  return [{ kind: 'said', role, text, heard: message?.text ?? '', from: speech.since, until: at, fallback }]
}

/** Counts turns of the script or the control URL. Hanging up at the end is not a turn of a script. */
function turnsBegun({ script }: CallPlan, { before, event, after }: CallStep): number {
  if (script === undefined) return isOfCaller(event) ? 1 : 0
  const hangsUp =
    after.phase === 'finished' && event.type !== 'hang-up' && script[after.turnsTaken]?.type === 'hang-up'
  return after.turnsTaken - before.turnsTaken + (hangsUp && after.endedBy === 'user' ? 1 : 0)
}

function isOfCaller(event: CallEvent): boolean {
  if (event.type === 'say') return event.role === 'user'
  if (event.type === 'hang-up') return event.by === 'user'
  return event.type === 'interrupt' || event.type === 'keys' || event.type === 'silence'
}
