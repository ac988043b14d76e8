import type { Warning } from '../../calls/place/index.ts'
import type { Diagnostic } from '../../files/source/index.ts'
import type { Context } from '../shell/context.ts'

/** Shows findings that hold nothing up. */
export function printWarnings(findings: readonly Diagnostic[], context: Context): void {
  context.output.findings(context.withFindingHints(findings))
}

/** Shows warnings of a call that can be placed. */
export function showWarnings(warnings: readonly Warning[], { output }: Context): void {
  for (const { message, hint } of warnings) output.warn(message, hint)
}
