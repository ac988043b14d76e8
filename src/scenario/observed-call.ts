import type { KnowledgeSearch, StoredCall, ToolResult } from '../sandbox/index.ts'

/** What happened in the call of a test. Times are milliseconds since the epoch, of the call's clock. */
export interface ObservedCall {
  /** As it was at its end: with messages, toolCalls, failures, analysis and callEndTriggerBy. */
  readonly record: StoredCall
  /** As many as were reached, by the test's own numbers: the first is before the caller's first line. */
  readonly turns: readonly ObservedTurn[]
  readonly startedAt: number
  readonly endedAt: number
}

export interface ObservedTurn {
  /** What the caller did; undefined for the first turn. */
  readonly caller: { readonly line: string; readonly from: number; readonly until: number } | undefined
  /** By the assistant, in order. */
  readonly said: readonly SaidMessage[]
  readonly tools: readonly ObservedTool[]
  readonly searches: readonly KnowledgeSearch[]
  readonly failures: readonly { readonly part: 'model' | 'tool' | 'analysis'; readonly message: string }[]
}

export interface SaidMessage {
  /** All that the assistant was about to say. */
  readonly text: string
  /** What was not cut off. */
  readonly heard: string
  readonly from: number
  readonly until: number
  /** The sandbox says that it has no answer. */
  readonly fallback: boolean
}

export interface ObservedTool extends ToolResult {
  readonly from: number
  /** Undefined: the call ended before it did. */
  readonly until: number | undefined
}
