import type { ObservedCall, ObservedTurn } from '../observed-call.ts'
import type { TestTurn } from '../test-case.ts'

/**
 * Milliseconds from the caller's last word (before it from the start of the call) to the assistant's first; 0 for one that speaks while
 * the caller does. Undefined: the assistant says nothing.
 */
export function delayOf({ caller, said }: ObservedTurn, call: ObservedCall): number | undefined {
  const since = caller?.until ?? call.startedAt
  const [first] = said
  const answer = said.find(({ from }) => from >= since) ?? first
  return answer === undefined ? undefined : Math.max(0, answer.from - since)
}

/**
 * Milliseconds: the longest time in which neither side speaks, from the caller's last word until the assistant's last one of the turn.
 * Where the assistant says nothing, until the next turn. A silence of the caller's is silent from its start.
 */
export function longestSilence(
  index: number,
  call: ObservedCall,
  turn: Pick<TestTurn, 'caller'> | undefined,
): number {
  const observed = call.turns[index]
  if (observed === undefined) return 0
  const { caller, said } = observed
  const isSilent = turn?.caller?.turn.type === 'silence'
  const end = call.turns[index + 1]?.caller?.from ?? call.endedAt
  let since = (isSilent ? caller?.from : caller?.until) ?? call.startedAt
  let longest = 0
  for (const { from, until } of said.length === 0 ? [{ from: end, until: end }] : said) {
    longest = Math.max(longest, from - since)
    since = Math.max(since, until)
  }
  return longest
}
