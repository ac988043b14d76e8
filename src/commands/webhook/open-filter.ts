import type { Output } from '../../cli/context.ts'
import { escapeForTerminal } from '../../lib/text/escape.ts'
import { createFilter, type Filter } from '../../webhook/index.ts'
import type { FilterOptions } from './flags.ts'

/** The filter of these flags; what looks like a slip of the pen is told at once. */
export function openFilter(
  { call, type, role, status }: FilterOptions,
  output: Pick<Output, 'warn'>,
): Filter {
  const filter = createFilter({ calls: call, types: type, roles: role, statuses: status })
  for (const { message, hint } of filter.doubts()) output.warn(message, hint)
  return filter
}

/** At the end: what was asked for and never came. */
export function warnUnmatched(filter: Filter, output: Pick<Output, 'warn'>): void {
  // Ids and types are the sender's: they must not bring lines of their own.
  for (const { message, hint } of filter.unmatched())
    output.warn(escapeForTerminal(message), hint === undefined ? undefined : escapeForTerminal(hint))
}
