import { isObject } from '../../lib/json.ts'
import type { KnowledgeSearch } from '../../sandbox/index.ts'
import type { ObservedCall, ObservedTurn, SaidMessage } from '../observed-call.ts'
import type { Expectation, TestCase, TestTurn } from '../test-case.ts'
import type { Failure } from '../verdict.ts'
import { checkCalls } from './calls.ts'
import { compares } from './comparison.ts'
import type { Found } from './found.ts'
import { foldText, isExactly, matchesText } from './text.ts'
import { delayOf, longestSilence } from './timing.ts'
import { differencesOf } from './value.ts'
import { countWords } from './words.ts'

/**
 * What is wrong with one turn, in the order of the file; what a model judges is left out. `index`: of the turn in the test. Of turns that the
 * call does not reach the first fails, once, for all that it expects.
 */
export function checkTurn(
  turn: TestTurn,
  observed: ObservedTurn | undefined,
  index: number,
  call: ObservedCall,
): Failure[] {
  if (observed === undefined) {
    if (index > call.turns.length) return []
    return [{ code: 'not-reached', details: { endedBy: endOf(call) }, place: turn.place, turn: index }]
  }
  const isLast = index === call.turns.length - 1
  return check(turn.expect, index, {
    ...observed,
    call,
    interrupted: cutOff(observed.said, call),
    delay: delayOf(observed, call),
    silence: longestSilence(index, call, turn),
    duration:
      (call.turns[index + 1]?.caller?.from ?? call.endedAt) - (observed.caller?.from ?? call.startedAt),
    endedBy: isLast ? endOf(call) : undefined,
  })
}

/** What is wrong with the whole call: what was said and called in all of it. */
export function checkCall(test: Pick<TestCase, 'expect' | 'turns'>, call: ObservedCall): Failure[] {
  const said = call.turns.flatMap(turn => turn.said)
  const delays = call.turns.flatMap(turn => delayOf(turn, call) ?? [])
  return check(test.expect, undefined, {
    said,
    tools: call.turns.flatMap(({ tools }) => tools),
    searches: call.turns.flatMap(({ searches }) => searches),
    call,
    interrupted: cutOff(said, call),
    delay: delays.length === 0 ? undefined : Math.max(...delays),
    silence: Math.max(0, ...call.turns.map((_, index) => longestSilence(index, call, test.turns[index]))),
    duration: call.endedAt - call.startedAt,
    endedBy: endOf(call),
  })
}

/** A turn, or the whole call. Times are milliseconds. */
interface Stretch extends Pick<ObservedTurn, 'said' | 'tools' | 'searches'> {
  readonly call: ObservedCall
  readonly interrupted: number
  readonly delay: number | undefined
  readonly silence: number
  readonly duration: number
  /** Undefined: it does not end here. */
  readonly endedBy: string | undefined
}

function check(expected: readonly Expectation[], turn: number | undefined, stretch: Stretch): Failure[] {
  return expected.flatMap(each => {
    const found = checkOne(each, stretch)
    return found === undefined ? [] : [{ ...found, place: each.place, turn }]
  })
}

function checkOne(expected: Expectation, stretch: Stretch): Found {
  const { said, tools, call } = stretch
  switch (expected.kind) {
    case 'says':
      return matchesText(expected.text, wholeText(said))
        ? undefined
        : { code: 'not-said', details: { text: expected.text, said } }
    case 'heard':
      return matchesText(expected.text, heardText(said))
        ? undefined
        : { code: 'not-heard', details: { text: expected.text, said } }
    case 'not':
      return matchesText(expected.text, wholeText(said))
        ? { code: 'said-unwanted', details: { text: expected.text, said } }
        : undefined
    case 'exactly':
      return isExactly(expected.text, wholeText(said)) ||
        said.some(({ text }) => isExactly(expected.text, text))
        ? undefined
        : { code: 'not-exactly', details: { text: expected.text, said } }
    case 'calls':
    case 'never-calls':
    case 'calls-in-order':
      return checkCalls(expected, tools)
    case 'within': {
      const { milliseconds } = expected
      const actual = stretch.delay
      return actual !== undefined && actual <= milliseconds
        ? undefined
        : { code: 'too-late', details: { milliseconds, actual } }
    }
    case 'words':
      return checkNumber(expected, countWords(wholeText(said)))
    case 'silence':
    case 'duration':
      return checkNumber(expected, stretch[expected.kind])
    case 'interruptions':
      return checkNumber(expected, stretch.interrupted)
    case 'ends':
      return stretch.endedBy === expected.by
        ? undefined
        : { code: 'wrong-end', details: { by: expected.by, actual: stretch.endedBy } }
    case 'knows':
      return checkKnown(expected, stretch)
    case 'analysis': {
      const [first] = differencesOf(expected.matcher, call.record.analysis ?? {})
      if (first === undefined) return undefined
      const { path: differs, actual } = first
      return { code: 'wrong-analysis', details: { differs, actual, matcher: expected.matcher } }
    }
    case 'judge':
    case 'goal':
      return undefined
  }
}

function checkNumber(
  { kind, comparison }: Extract<Expectation, { kind: 'words' | 'silence' | 'duration' | 'interruptions' }>,
  actual: number,
): Found {
  return compares(comparison, actual)
    ? undefined
    : { code: 'wrong-number', details: { of: kind, comparison, actual } }
}

function checkKnown({ question }: Extract<Expectation, { kind: 'knows' }>, stretch: Stretch): Found {
  const used = stretch.searches.flatMap(search => usedQuestions(search, stretch))
  const wanted = foldText(question)
  return used.some(each => foldText(each) === wanted)
    ? undefined
    : { code: 'not-known', details: { question, used } }
}

/** By rule the answer of the best entry is said; a model that searches is given all entries that it finds. */
function usedQuestions({ question, hits, used }: KnowledgeSearch, { tools }: Stretch): string[] {
  if (!used) return []
  const byModel = tools.some(({ arguments: given }) => isObject(given) && given.query === question)
  return (byModel ? hits : hits.slice(0, 1)).map(({ entry }) => entry.question)
}

/** One speech: an answer may come in several messages. */
function wholeText(said: readonly SaidMessage[]): string {
  return said.map(({ text }) => text).join(' ')
}

function heardText(said: readonly SaidMessage[]): string {
  return said.map(({ heard }) => heard).join(' ')
}

/** Messages that the caller cut off. One that the end of the call cuts off is no interruption. */
function cutOff(said: readonly SaidMessage[], { endedAt }: ObservedCall): number {
  return said.filter(({ text, heard, until }) => text.trim() !== heard.trim() && until < endedAt).length
}

function endOf({ record }: ObservedCall): string | undefined {
  return record.status === 'forwarded' ? 'forward' : record.callEndTriggerBy
}
