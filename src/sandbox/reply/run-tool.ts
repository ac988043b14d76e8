import { isObject } from '../../lib/json/is-object.ts'
import type { ReplyEvent, ToolRun } from '../engine/reply.ts'
import type { CallTool, ToolOutcome, ToolUse } from '../tools/call-tool.ts'

/** For what a tool brings when nobody waits for it any more. */
export interface LaterTools {
  /** Said when the reply that is being made is complete. */
  say(text: string): void
  /** The outcome replaces the first one on the record. */
  work(run: ToolRun, outcome: Promise<ToolOutcome>): void
}

interface RunToolUse {
  readonly emit: (event: ReplyEvent) => void
  readonly later: LaterTools
  /** Aborts when the call is over. */
  readonly callEnded: AbortSignal
}

/** Runs a tool and tells what happens to it. Never rejects: a tool that breaks is a failure of its outcome. */
export async function runTool(
  tool: CallTool,
  run: ToolRun & { readonly arguments: Readonly<Record<string, unknown>> },
  { emit, later, callEnded }: RunToolUse,
): Promise<ToolOutcome> {
  emit({ type: 'tool-started', run })
  let ended = false
  const use: ToolUse = {
    // What a tool says after its end may come after the reply's.
    say: text => (ended ? later.say(text) : emit({ type: 'message', text })),
    sayLater: text => later.say(text),
    later: work => later.work(run, work),
    signal: callEnded,
  }
  const outcome = await tool
    .run(run, use)
    .catch(error => failedOutcome(`the tool ${tool.name} broke: ${String(error)}`))
  ended = true
  return tellOutcome(run, outcome, emit)
}

/** A call of a tool that cannot be run: the model is told why, and so is the log. */
export function refuseTool(run: ToolRun, reason: string, emit: (event: ReplyEvent) => void): ToolOutcome {
  emit({ type: 'tool-started', run })
  return tellOutcome(run, failedOutcome(reason), emit)
}

/** The arguments that a model wrote: a JSON object, or undefined for anything else. Nothing written is no arguments. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function failedOutcome(failure: string): ToolOutcome {
  return { content: JSON.stringify({ error: failure }), failure }
}

function tellOutcome(run: ToolRun, outcome: ToolOutcome, emit: (event: ReplyEvent) => void): ToolOutcome {
  const { content, failure, simulated } = outcome
  if (failure !== undefined) emit({ type: 'failure', part: 'tool', message: failure })
  emit({
    type: 'tool-ended',
    result: {
      ...run,
      content,
      ...(failure === undefined ? {} : { failure }),
      ...(simulated === undefined ? {} : { simulated }),
    },
  })
  return outcome
}
