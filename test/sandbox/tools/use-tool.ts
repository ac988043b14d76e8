import type { CallTool, ToolOutcome } from '../../../src/sandbox/tools/call-tool.ts'

export interface Used {
  /** Spoken texts in order; late ones are marked. */
  readonly spoken: readonly string[]
  readonly outcome: Promise<ToolOutcome>
  /** Promises of asynchronous tools. */
  readonly later: readonly Promise<ToolOutcome>[]
}

/** Runs a tool as a reply would. */
export function useTool(
  tool: CallTool | undefined,
  given: Readonly<Record<string, unknown>> = {},
  { id = 'run-1', signal = new AbortController().signal }: { id?: string; signal?: AbortSignal } = {},
): Used {
  if (tool === undefined) throw new Error('the tool is not offered')
  const spoken: string[] = []
  const later: Promise<ToolOutcome>[] = []
  const outcome = tool.run(
    { id, name: tool.name, arguments: given },
    {
      say: text => spoken.push(text),
      sayLater: text => spoken.push(`later: ${text}`),
      later: work => later.push(work),
      signal,
    },
  )
  return { spoken, outcome, later }
}

/** Result for the model. */
export async function toldBy(used: Used): Promise<unknown> {
  return JSON.parse((await used.outcome).content)
}
