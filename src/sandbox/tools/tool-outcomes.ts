import type { ToolOutcome } from './call-tool.ts'

/** What the model is told, as JSON. */
export function told(value: unknown): ToolOutcome {
  return { content: JSON.stringify(value) }
}

/** The model is told what is wrong, and may ask the caller or try again. No failure of the tool. */
export function refused(error: string): ToolOutcome {
  return told({ error })
}
