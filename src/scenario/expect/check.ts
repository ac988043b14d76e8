import { isObject } from '../../lib/json.ts'
import type { KnowledgeSearch } from '../../sandbox/index.ts'
import type { Expectation, TestTurn } from '../test-case.ts'
import type { Failure, ObservedCall, ObservedTurn, SaidMessage, Wrong } from '../verdict.ts'
import { checkCalls } from './calls.ts'
import { countWords, foldText, isExactly, matchesText } from './text.ts'
import { compares, differencesOf } from './value.ts'

/** Checks turn `index` except for judged expectations. If the call ended early, only the first unreached turn fails. */
export function checkTurn({ place, expect }: TestTurn, index: number, call: ObservedCall): Failure[] {
  if (index < call.turns.length) return check(expect, index, stretchOf(call, index, index + 1))
  if (index > call.turns.length) return []
  return [{ code: 'not-reached', details: { endedBy: endOf(call) }, place, turn: index }]
}

/** Checks the whole call, except for judged expectations. */
export function checkCall(expected: readonly Expectation[], call: ObservedCall): Failure[] {
  return check(expected, undefined, stretchOf(call, 0, call.turns.length))
}

/** A turn or the whole call. Times are in milliseconds. */
type Stretch = ReturnType<typeof stretchOf>

function stretchOf(call: ObservedCall, first: number, end: number) {
  const turns = call.turns.slice(first, end)
  const said = turns.flatMap(turn => turn.said)
  const delays = turns.flatMap(turn => delayOf(turn, call) ?? [])
  const [from, until] = [startOf(call, first), startOf(call, end)]
  return {
    call,
    said,
    tools: turns.flatMap(({ tools }) => tools),
    searches: turns.flatMap(({ searches }) => searches),
    /** Longest time from the caller's last word to the assistant's first. */
    delay: delays.length === 0 ? undefined : Math.max(...delays),
    silence: Math.max(...turns.map((_, index) => longestSilence(call, first + index))),
    duration: until - from,
    interruptions: said.filter(message => isCutOff(message, call)).length,
    /** Undefined if the call does not end here. */
    endedBy: end === call.turns.length ? endOf(call) : undefined,
  }
}

/** Returns the start of a turn, or the end of the call for an index past the last. */
function startOf({ turns, startedAt, endedAt }: ObservedCall, index: number): number {
  return turns[index]?.caller?.from ?? (index === 0 ? startedAt : endedAt)
}

/** Returns the time from the caller's last word to the assistant's first, 0 if they overlap; undefined without a reply. */
function delayOf({ caller, said }: ObservedTurn, call: ObservedCall): number | undefined {
  const since = caller?.until ?? call.startedAt
  const answer = said.find(({ from }) => from >= since) ?? said[0]
  return answer && Math.max(0, answer.from - since)
}

/**
 * Returns the longest time in which neither side speaks, from the caller's last word to the assistant's last one of the turn, or to the
 * next turn if the assistant says nothing. Deliberate caller silence counts from its start.
 */
function longestSilence(call: ObservedCall, index: number): number {
  const { caller, said = [] } = call.turns[index] ?? {}
  const end = startOf(call, index + 1)
  let since = (caller?.turn.type === 'silence' ? caller.from : caller?.until) ?? call.startedAt
  let longest = 0
  for (const { from, until } of said.length === 0 ? [{ from: end, until: end }] : said) {
    longest = Math.max(longest, from - since)
    since = Math.max(since, until)
  }
  return longest
}

/** True if the caller interrupted the message; the end of the call does not count. */
function isCutOff({ text, heard, until }: SaidMessage, { endedAt }: ObservedCall): boolean {
  return text.trim() !== heard.trim() && until < endedAt
}

function endOf({ record }: ObservedCall): string | undefined {
  return record.status === 'forwarded' ? 'forward' : record.callEndTriggerBy
}

function check(expected: readonly Expectation[], turn: number | undefined, stretch: Stretch): Failure[] {
  return expected.flatMap(each => {
    const wrong = wrongWith(each, stretch)
    return wrong ? [{ ...wrong, place: each.place, turn }] : []
  })
}

function wrongWith(expected: Expectation, stretch: Stretch): Wrong | false | undefined {
  const { said, delay, endedBy } = stretch
  switch (expected.kind) {
    case 'says':
    case 'heard':
    case 'not':
    case 'exactly':
      return wrongWords(expected, said)
    case 'calls':
    case 'never-calls':
    case 'calls-in-order':
      return checkCalls(expected, stretch.tools)
    case 'within': {
      const { milliseconds } = expected
      const isInTime = delay !== undefined && delay <= milliseconds
      return !isInTime && { code: 'too-late', details: { milliseconds, actual: delay } }
    }
    case 'words':
      return wrongNumber(expected, countWords(wholeText(said)))
    case 'silence':
    case 'duration':
    case 'interruptions':
      return wrongNumber(expected, stretch[expected.kind])
    case 'ends':
      return expected.by !== endedBy && { code: 'wrong-end', details: { by: expected.by, actual: endedBy } }
    case 'knows': {
      const { question } = expected
      const used = stretch.searches.flatMap(search => usedQuestions(search, stretch))
      const isUsed = used.some(each => foldText(each) === foldText(question))
      return !isUsed && { code: 'not-known', details: { question, used } }
    }
    case 'analysis': {
      const { matcher } = expected
      const [first] = differencesOf(matcher, stretch.call.record.analysis ?? {})
      return (
        first && { code: 'wrong-analysis', details: { differs: first.path, actual: first.actual, matcher } }
      )
    }
    case 'judge':
    case 'goal':
      return false
  }
}

function wrongWords(
  expected: Extract<Expectation, { kind: 'says' | 'heard' | 'not' | 'exactly' }>,
  said: readonly SaidMessage[],
): Wrong | false {
  const whole = wholeText(said)
  if (expected.kind === 'exactly') {
    const isSaid = [whole, ...said.map(message => message.text)].some(each => isExactly(expected.text, each))
    return !isSaid && { code: 'not-exactly', details: { text: expected.text, said } }
  }
  const { kind, text } = expected
  const details = { text, said }
  if (kind === 'not') return matchesText(text, whole) && { code: 'said-unwanted', details }
  if (kind === 'says') return !matchesText(text, whole) && { code: 'not-said', details }
  const heard = said.map(message => message.heard).join(' ')
  return !matchesText(text, heard) && { code: 'not-heard', details }
}

/** Joins messages, because a reply may be split. */
function wholeText(said: readonly SaidMessage[]): string {
  return said.map(({ text }) => text).join(' ')
}

function wrongNumber(
  { kind, comparison }: Extract<Expectation, { kind: 'words' | 'silence' | 'duration' | 'interruptions' }>,
  actual: number,
): Wrong | false {
  return !compares(comparison, actual) && { code: 'wrong-number', details: { of: kind, comparison, actual } }
}

/** The sandbox's rules speak the best entry only; a model gets all hits of its search. */
function usedQuestions({ question, hits, used }: KnowledgeSearch, { tools }: Stretch): string[] {
  if (!used) return []
  const byModel = tools.some(({ arguments: given }) => isObject(given) && given.query === question)
  return (byModel ? hits : hits.slice(0, 1)).map(({ entry }) => entry.question)
}
