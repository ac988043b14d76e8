import type * as z from 'zod/mini'
import type { predefinedToolsSchema } from '../../interface/turn-taking.ts'
import type { ReplyEnding, ToolRun } from '../engine/reply.ts'

/** interface.md 2.3, the keys of assistantPredefinedTools. */
export type PredefinedToolName = keyof z.infer<typeof predefinedToolsSchema>

/** A tool that the assistant of one call can use: a function tool (interface.md 2.5) or a predefined one (interface.md 2.3). */
export interface CallTool {
  /** The switch that offers it; undefined: a function tool. */
  readonly predefined?: PredefinedToolName | undefined
  /** As the model calls it: letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Never rejects: what goes wrong is a `failure` of the outcome. */
  run(
    run: ToolRun & { readonly arguments: Readonly<Record<string, unknown>> },
    use: ToolUse,
  ): Promise<ToolOutcome>
}

export interface ToolUse {
  /** Spoken to the caller as part of the reply that is being made (messages of interface.md 2.5). */
  say(text: string): void
  /** Spoken once the reply is complete: for what an asynchronous tool brings later. */
  sayLater(text: string): void
  /** For an asynchronous tool: it works on while the call goes on; the outcome replaces the first one on the record. */
  later(work: Promise<ToolOutcome>): void
  /** Aborts when the call is over. A barge-in stops no tool. */
  readonly signal: AbortSignal
}

export interface ToolOutcome {
  /** JSON text for the model. */
  readonly content: string
  /** Why it failed: one sentence without secrets, for the log and the record. */
  readonly failure?: string | undefined
  /** The sandbox answered in place of a calendar, a wait list, a telephone. */
  readonly simulated?: boolean | undefined
  /** The call ends when everything before is said. */
  readonly ending?: ReplyEnding | undefined
}

/** What the model is told, as JSON. */
export function told(value: unknown): ToolOutcome {
  return { content: JSON.stringify(value) }
}

/** The model is told what is wrong, and may ask the caller or try again. No failure of the tool. */
export function refused(error: string): ToolOutcome {
  return told({ error })
}
