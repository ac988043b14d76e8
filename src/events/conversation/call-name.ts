import type { CallOrigin, CallReference } from './changes.ts'

/** Name of events without a call. */
const withoutCallId = '-'

/** The names by which a call may be asked for: its id; without one `-`, and `-2` for the second of them. */
export function listCallNames({ callId, conversation }: CallOrigin): readonly string[] {
  if (callId !== null) return [callId]
  return conversation === undefined ? [withoutCallId] : [withoutCallId, `${withoutCallId}${conversation}`]
}

/** Returns the name of a recorded call: its id; `-1`, `-2` for calls without id; `-` for events without a call. */
export function callName({ callId, conversation }: CallReference): string {
  return callId ?? `${withoutCallId}${conversation ?? ''}`
}
