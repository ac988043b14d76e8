import type { Output } from '../../cli/context.ts'
import { filterWords } from '../../cli/messages/filter.ts'
import { escapeForTerminal } from '../../lib/text/escape.ts'
import { createFilter, type Filter } from '../../webhook/index.ts'
import type { FilterOptions } from './flags.ts'

/** The filter of these flags; what looks like a slip of the pen is told at once. */
export function openFilter(
  { call, type, role, status }: FilterOptions,
  output: Pick<Output, 'warn'>,
): Filter {
  const filter = createFilter({ calls: call, types: type, roles: role, statuses: status })
  for (const finding of filter.doubts()) {
    const { message, hint } = filterWords(finding)
    output.warn(message, hint)
  }
  return filter
}

/** At the end: what was asked for and never came. */
export function warnUnmatched(filter: Filter, output: Pick<Output, 'warn'>): void {
  // Ids and types are the sender's: they must not bring lines of their own.
  for (const finding of filter.unmatched()) {
    const { message, hint } = filterWords(finding)
    output.warn(escapeForTerminal(message), hint === undefined ? undefined : escapeForTerminal(hint))
  }
}
