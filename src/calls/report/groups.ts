import { groupBy } from '../../lib/group-by.ts'
import { localDate, twoDigits } from '../../lib/text/date-time.ts'
import type { CallFacts } from './call-facts.ts'

export const groupings = ['assistant', 'day', 'hour', 'outcome', 'from'] as const
export type Grouping = (typeof groupings)[number]

const nameOf: Readonly<Record<Grouping, (call: CallFacts) => string | null>> = {
  assistant: ({ assistant }) => assistant,
  day: ({ at }) => localDate(at),
  hour: ({ at }) => `${twoDigits(new Date(at).getHours())}:00`,
  outcome: ({ outcome }) => outcome,
  from: ({ from }) => from,
}

/** Groups calls by name, in the order of time or else with the largest group first. The name is null where it is unknown. */
export function groupCalls(
  calls: readonly CallFacts[],
  by: Grouping,
): readonly (readonly [name: string | null, calls: readonly CallFacts[]])[] {
  const isTime = by === 'day' || by === 'hour'
  return [...groupBy(calls, nameOf[by])].sort(([one, ofOne], [other, ofOther]) => {
    const order = (one ?? '') < (other ?? '') ? -1 : 1
    return isTime ? order : ofOther.length - ofOne.length || order
  })
}
