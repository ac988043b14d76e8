import type { CallState } from '../engine/call-state.ts'

/** What an analysis is made from. */
export interface AnalysedCall
  extends Pick<CallState, 'messages' | 'startedAt' | 'endedAt' | 'endedBy' | 'asked' | 'answered'> {
  readonly assistantName: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly toolCalls: readonly { readonly name: string; readonly failure?: unknown }[]
}
