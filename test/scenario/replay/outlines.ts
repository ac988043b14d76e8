import { type CallOutline, noTurn, type OutlinedTurn } from '../../../src/scenario/replay/call-outline.ts'

/** A turn of an outline: the caller's line and the assistant's reply. */
export function turn(line: string | undefined, said: string, more: Partial<OutlinedTurn> = {}): OutlinedTurn {
  return { ...noTurn, line, spokenTexts: [said], heard: [said], ...more }
}

export function outline(turns: readonly OutlinedTurn[], more: Partial<CallOutline> = {}): CallOutline {
  return { turns, endedBy: 'user', forwardedTo: undefined, analysis: {}, ...more }
}
