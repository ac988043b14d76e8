import type { ToolResult, ToolRun } from '../../files/formats/call-observation.ts'
import type { PredefinedToolName } from '../../interface/tool.ts'
import { getErrorReason } from '../../lib/error.ts'
import type { CallForwardTarget, ReplyEnding, ReplyEvent } from '../engine/reply.ts'

export type ToolArguments = Readonly<Record<string, unknown>>

/** JSON Schema of a tool without parameters. */
export const noParameters = { type: 'object', properties: {} } as const

/** Tool settings of an assistant: interface.md 2.1 and 2.3. */
export interface ToolConfig {
  readonly callId: string
  /** The stored tools of assistantToolIds (interface.md 2.5), in their order. */
  readonly functionTools: readonly Readonly<Record<string, unknown>>[]
  readonly switches: Readonly<Partial<Record<PredefinedToolName, boolean | undefined>>>
  /** Empty: the knowledge-base tool is off, or has nothing to look into. */
  readonly knowledgeBaseIds: readonly string[]
  readonly endCallMessage: string
  readonly endCallToolDescription?: string | undefined
  readonly forwardTargets: readonly CallForwardTarget[]
  /** Fills the variables of spoken texts (interface.md 2.6). */
  fill(text: string): string
}

/** A tool that the assistant of one call can use: a function tool (interface.md 2.5) or a predefined one (interface.md 2.3). */
export interface CallTool {
  /** The switch that offers it; undefined: a function tool. */
  readonly predefined?: PredefinedToolName | undefined
  /** Name for the model: letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Trigger of a predefined tool without a model. */
  readonly offline?: {
    /** Arguments from a line; undefined if it does not request the tool. `previous` is the assistant's last message. */
    argumentsFor(line: string, previous: string | undefined): ToolArguments | undefined
    /** Said when nothing was done. */
    readonly missed: string
  }
  /** Never rejects: what goes wrong is a `failure` of the outcome. */
  run(run: ToolRun & { readonly arguments: ToolArguments }, use: ToolUse): Promise<ToolOutcome>
}

/** Before it is offered under its name. */
export type PredefinedTool = Omit<CallTool, 'name' | 'predefined'>

export interface ToolUse {
  /** Spoken to the caller as part of the reply that is being made (messages of interface.md 2.5). */
  say(text: string): void
  /** Spoken once the reply is complete: for late results of asynchronous tools. */
  sayLater(text: string): void
  /** For an asynchronous tool: it runs while the call continues; its outcome replaces the first one on the record. */
  later(work: Promise<ToolOutcome>): void
}

export interface ToolOutcome extends Omit<ToolResult, keyof ToolRun> {
  /** Message about the result of a predefined tool, used if no model reads `content`. */
  readonly spokenText?: string | undefined
  /** The call ends when everything before is said. */
  readonly ending?: ReplyEnding | undefined
}

/** An outcome that the model reads as JSON. */
export function toOutcome(value: unknown): ToolOutcome {
  return { content: JSON.stringify(value) }
}

/** The model reads what is wrong, and may ask the caller or try again. No failure of the tool. */
export function toRejection(error: string): ToolOutcome {
  return toOutcome({ error })
}

/** A failure for the log and the record, and what the model reads of it. */
export function toFailure(failure: string, error = failure): ToolOutcome {
  return { ...toRejection(error), failure }
}

export interface RunToolUse {
  readonly emit: (event: ReplyEvent) => void
  /** Receives results that arrive after the reply that used the tool. */
  readonly later: {
    /** Said when the reply that is being made is complete. */
    say(text: string): void
    /** The outcome replaces the first one on the record. */
    work(run: ToolRun, outcome: Promise<ToolOutcome>): void
  }
}

/** Runs a tool and emits what happens to it. Never rejects: a tool that breaks is a failure of its outcome. */
export async function runTool(
  tool: CallTool,
  run: ToolRun & { readonly arguments: ToolArguments },
  { emit, later }: RunToolUse,
): Promise<ToolOutcome> {
  emit({ kind: 'tool-started', run })
  const use: ToolUse = {
    say: text => emit({ kind: 'message', text }),
    sayLater: text => later.say(text),
    later: work => later.work(run, work),
  }
  const outcome = await tool
    .run(run, use)
    .catch(error => toFailure(`the tool ${tool.name} failed: ${getErrorReason(error)}`))
  return emitOutcome(run, outcome, emit)
}

/** A call of a tool that cannot be run: the model reads why, and so does the log. */
export function refuseTool(run: ToolRun, reason: string, emit: (event: ReplyEvent) => void): ToolOutcome {
  emit({ kind: 'tool-started', run })
  return emitOutcome(run, toFailure(reason), emit)
}

function emitOutcome(run: ToolRun, outcome: ToolOutcome, emit: (event: ReplyEvent) => void): ToolOutcome {
  const { content, failure, simulated } = outcome
  if (failure !== undefined) emit({ kind: 'failure', part: 'tool', message: failure })
  const result = {
    ...run,
    content,
    ...(failure === undefined ? {} : { failure }),
    ...(simulated === undefined ? {} : { simulated }),
  }
  emit({ kind: 'tool-ended', result })
  return outcome
}
