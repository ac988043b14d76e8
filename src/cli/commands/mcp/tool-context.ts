import type { Context } from '../../shell/context.ts'
import type { ResultStore } from './result-store.ts'

/** Context of one call of a tool; its signal ends with the request, the connection or the command. */
export interface ToolContext {
  readonly context: Context
  readonly signal: AbortSignal
  /** Actions that may be requested at a real service. */
  readonly allowed: ReadonlySet<string>
  readonly results: ResultStore
}
