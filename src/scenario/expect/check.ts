import { isObject } from '../../lib/json.ts'
import type { KnowledgeSearch } from '../../sandbox/index.ts'
import type { Expectation, TestTurn } from '../test-case.ts'
import type { Failure, ObservedCall, ObservedTurn, SpokenMessage, UnlocatedFailure } from '../verdict.ts'
import { checkCalls } from './calls.ts'
import { countWords, foldText, isExactly, matchesText } from './text.ts'
import { diffValue, satisfies } from './value.ts'

/** Checks turn `index` except for judged expectations. If the call ended early, only the first unreached turn fails. */
export function checkTurn({ location, expect }: TestTurn, index: number, call: ObservedCall): Failure[] {
  if (index < call.turns.length)
    return checkExpectations(expect, index, createTurnRange(call, index, index + 1))
  if (index > call.turns.length) return []
  return [{ code: 'not-reached', details: { endedBy: getEndedBy(call) }, location, turn: index }]
}

/** Checks the whole call, except for judged expectations. */
export function checkCall(expected: readonly Expectation[], call: ObservedCall): Failure[] {
  return checkExpectations(expected, undefined, createTurnRange(call, 0, call.turns.length))
}

/** A turn or the whole call. Times are in milliseconds. */
type TurnRange = ReturnType<typeof createTurnRange>

function createTurnRange(call: ObservedCall, first: number, end: number) {
  const turns = call.turns.slice(first, end)
  const messages = turns.flatMap(turn => turn.messages)
  const delays = turns.flatMap(turn => measureDelay(turn, call) ?? [])
  const [from, until] = [getTurnStart(call, first), getTurnStart(call, end)]
  return {
    call,
    messages,
    tools: turns.flatMap(({ tools }) => tools),
    searches: turns.flatMap(({ searches }) => searches),
    /** Longest time from the caller's last word to the assistant's first. */
    within: delays.length === 0 ? undefined : Math.max(...delays),
    /** Longest time to its first word that answers; undefined if a reply to the caller has none. */
    answers: measureAnswers(turns, call),
    silence: Math.max(...turns.map((_, index) => measureLongestSilence(call, first + index))),
    duration: until - from,
    /** Messages that the caller interrupted; the end of the call does not count. */
    interruptions: messages.filter(
      ({ text, heard, until }) => text.trim() !== heard.trim() && until < call.endedAt,
    ).length,
    /** Undefined if the call does not end here. */
    endedBy: end === call.turns.length ? getEndedBy(call) : undefined,
  }
}

/** Returns the start of a turn, or the end of the call for an index past the last. */
function getTurnStart({ turns, startedAt, endedAt }: ObservedCall, index: number): number {
  return turns[index]?.caller?.from ?? (index === 0 ? startedAt : endedAt)
}

/** Returns the time from the caller's last word to the assistant's first, 0 if they overlap; undefined without a reply. */
function measureDelay({ caller, messages }: ObservedTurn, call: ObservedCall): number | undefined {
  const since = caller?.until ?? call.startedAt
  const reply = messages.find(({ from }) => from >= since) ?? messages[0]
  return reply && Math.max(0, reply.from - since)
}

/** A turn in which a tool ran, or that got a reply, is answered by words during which no tool runs, or else by words before any tool. */
function measureAnswers(turns: readonly ObservedTurn[], call: ObservedCall): number | undefined {
  const times = turns
    .filter(({ messages, tools }) => messages.length > 0 || tools.length > 0)
    .map(({ caller, messages, tools }) => {
      const since = caller?.until ?? call.startedAt
      const isToolRunning = (from: number, until: number) =>
        tools.some(
          tool => tool.from < until && (tool.acceptedAt ?? tool.until ?? Number.POSITIVE_INFINITY) > from,
        )
      const answer =
        messages.find(({ from, until }) => from >= since && !isToolRunning(from, until)) ??
        messages.find(({ from }) => !isToolRunning(from, from + 1))
      return answer === undefined ? Number.POSITIVE_INFINITY : Math.max(0, answer.from - since)
    })
  const longest = Math.max(...times)
  return Number.isFinite(longest) ? longest : undefined
}

/**
 * Returns the longest time in which neither side speaks, from the caller's last word to the assistant's last one of the turn, or to the
 * next turn if the assistant says nothing. Deliberate caller silence counts from its start.
 */
function measureLongestSilence(call: ObservedCall, index: number): number {
  const { caller, messages = [] } = call.turns[index] ?? {}
  const end = getTurnStart(call, index + 1)
  let since = (caller?.turn.type === 'silence' ? caller.from : caller?.until) ?? call.startedAt
  let longest = 0
  for (const { from, until } of messages.length === 0 ? [{ from: end, until: end }] : messages) {
    longest = Math.max(longest, from - since)
    since = Math.max(since, until)
  }
  return longest
}

function getEndedBy({ record }: ObservedCall): string | undefined {
  return record.status === 'forwarded' ? 'forward' : record.callEndTriggerBy
}

function checkExpectations(
  expected: readonly Expectation[],
  turn: number | undefined,
  range: TurnRange,
): Failure[] {
  return expected.flatMap(expectation => {
    const wrong = checkExpectation(expectation, range)
    return wrong ? [{ ...wrong, location: expectation.location, turn }] : []
  })
}

function checkExpectation(expected: Expectation, range: TurnRange): UnlocatedFailure | false | undefined {
  const { messages, endedBy } = range
  switch (expected.kind) {
    case 'says':
    case 'heard':
    case 'not':
    case 'exactly':
      return checkTexts(expected, messages)
    case 'calls':
    case 'never-calls':
    case 'calls-in-order':
      return checkCalls(expected, range.tools)
    case 'within':
    case 'answers': {
      const { kind: of, milliseconds } = expected
      const actual = range[of]
      const isInTime = actual !== undefined && actual <= milliseconds
      return !isInTime && { code: 'too-late', details: { of, milliseconds, actual } }
    }
    case 'words':
      return checkNumber(expected, countWords(joinTexts(messages)))
    case 'silence':
    case 'duration':
    case 'interruptions':
      return checkNumber(expected, range[expected.kind])
    case 'ends':
      return expected.by !== endedBy && { code: 'wrong-end', details: { by: expected.by, actual: endedBy } }
    case 'knows': {
      const { question } = expected
      const used = range.searches.flatMap(search => getUsedQuestions(search, range))
      const isUsed = used.some(usedQuestion => foldText(usedQuestion) === foldText(question))
      return !isUsed && { code: 'not-known', details: { question, used } }
    }
    case 'analysis': {
      const { matcher } = expected
      const [first] = diffValue(matcher, range.call.record.analysis ?? {})
      return (
        first && { code: 'wrong-analysis', details: { differs: first.path, actual: first.actual, matcher } }
      )
    }
    case 'judge':
    case 'goal':
      return false
  }
}

function checkTexts(
  expected: Extract<Expectation, { kind: 'says' | 'heard' | 'not' | 'exactly' }>,
  messages: readonly SpokenMessage[],
): UnlocatedFailure | false {
  const whole = joinTexts(messages)
  if (expected.kind === 'exactly') {
    const isSaid = [whole, ...messages.map(message => message.text)].some(spokenText =>
      isExactly(expected.text, spokenText),
    )
    return !isSaid && { code: 'not-exactly', details: { text: expected.text, messages } }
  }
  const { kind, text } = expected
  const details = { text, messages }
  if (kind === 'not') return matchesText(text, whole) && { code: 'said-unwanted', details }
  if (kind === 'says') return !matchesText(text, whole) && { code: 'not-said', details }
  const heard = messages.map(message => message.heard).join(' ')
  return !matchesText(text, heard) && { code: 'not-heard', details }
}

/** Joins messages, because a reply may be split. */
function joinTexts(messages: readonly SpokenMessage[]): string {
  return messages.map(({ text }) => text).join(' ')
}

function checkNumber(
  { kind, comparison }: Extract<Expectation, { kind: 'words' | 'silence' | 'duration' | 'interruptions' }>,
  actual: number,
): UnlocatedFailure | false {
  return !satisfies(comparison, actual) && { code: 'wrong-number', details: { of: kind, comparison, actual } }
}

/** The sandbox's rules speak the best entry only; a model gets all hits of its search. */
function getUsedQuestions({ question, hits, used }: KnowledgeSearch, { tools }: TurnRange): string[] {
  if (!used) return []
  const byModel = tools.some(({ arguments: args }) => isObject(args) && args.query === question)
  return (byModel ? hits : hits.slice(0, 1)).map(({ entry }) => entry.question)
}
