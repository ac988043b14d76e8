import { checkCall, checkTurn } from '../expect/check.ts'
import type { TestCase } from '../test-case.ts'
import type {
  CheckResult,
  Failure,
  FailureLocation,
  MissingResponse,
  ObservedCall,
  UnansweredRequest,
  Undecided,
} from '../verdict.ts'
import type { AttemptModels } from './run-options.ts'

interface AttemptContext {
  readonly models: AttemptModels
  /** Reason and turn in which the simulated caller hung up. */
  readonly callerFailure: { readonly reason: string; readonly turn: number } | undefined
  readonly signal: AbortSignal
}

/**
 * Checks a call. A turn whose model request failed reports only that, and nothing is checked after a request without a response. A missing
 * recording is a failure; an unreachable model, or a caller's model with invalid output, leaves the test undecided.
 */
export async function checkAttempt(
  test: TestCase,
  call: ObservedCall,
  context: AttemptContext,
): Promise<CheckResult> {
  const { models, callerFailure: callerBroke } = context
  const missing = findFirst(models.missingResponses)
  const isReported = [...models.missingResponses, ...models.failedRequests].some(isConversational)
  const unreadable =
    callerBroke === undefined || isReported ? [] : [{ ...callerBroke, role: 'caller' } as const]
  const unanswered = findFirst([...unreadable, ...models.failedRequests])
  const without = [...missing, ...unanswered]
  /** First turn in which the assistant's behavior is unknown. */
  const unknownFrom = Math.min(...without.filter(isConversational).map(({ turn }) => turn))
  const isKnown = unknownFrom === Number.POSITIVE_INFINITY
  const isUnanalyzed = without.some(({ role }) => role === 'analysis')
  const modelErrors = call.turns.map(({ failures }) => failures.find(({ part }) => part === 'model')?.message)
  const judgement = isKnown ? await judgeCall(test, call, context) : { failures: [], undecided: [] }
  const failures = [
    ...modelErrors.flatMap((reason, turn) =>
      reason === undefined || turn >= unknownFrom
        ? []
        : { code: 'model-failed' as const, details: { reason }, ...locateTurn(test, turn) },
    ),
    ...missing.map(answer =>
      createNotRecordedFailure(test, answer, models.cassette, locateRequest(test, answer)),
    ),
    ...test.turns.flatMap((turn, number) =>
      number >= unknownFrom || modelErrors[number] !== undefined ? [] : checkTurn(turn, number, call),
    ),
    ...(isKnown ? checkCall(test.expect, call) : []).filter(
      ({ code }) => code !== 'wrong-analysis' || !isUnanalyzed,
    ),
    ...judgement.failures,
  ]
  return {
    failures: failures.sort((one, other) => toSortKey(one) - toSortKey(other)),
    undecided: [
      ...unanswered.map(answer => ({ ...locateRequest(test, answer), reason: answer.reason })),
      ...judgement.undecided,
    ],
  }
}

/** Sorts failures of the whole call last. */
function toSortKey({ turn = Number.MAX_SAFE_INTEGER }: Failure): number {
  return turn
}

function isConversational({ role }: UnansweredRequest): boolean {
  return role === 'assistant' || role === 'caller'
}

/** Returns the first request of the conversation, on which the others depend, or else of the analysis. */
function findFirst<Item extends UnansweredRequest>(requests: readonly Item[]): Item[] {
  const first = requests.find(isConversational) ?? requests.find(({ role }) => role === 'analysis')
  return first === undefined ? [] : [first]
}

/** Falls back to the test for turns of a simulated caller, which are not in the file. */
function locateTurn(test: TestCase, turn: number): FailureLocation {
  return { location: test.turns[turn]?.location ?? test.location, turn }
}

/** Locates analysis requests at the analysis expectation. */
function locateRequest(test: TestCase, { turn, role }: UnansweredRequest): FailureLocation {
  if (role !== 'analysis') return locateTurn(test, turn)
  const expected = test.expect.find(({ kind }) => kind === 'analysis')
  return { location: expected?.location ?? test.location, turn: undefined }
}

/** Counts later turns, because they have no recorded response either. */
function createNotRecordedFailure(
  { turns, caller }: TestCase,
  { turn, role, difference }: MissingResponse,
  cassette: string,
  where: FailureLocation,
): Failure {
  const asking = turns.flatMap(({ caller }, index) =>
    caller === undefined || caller.turn.type === 'hang-up' ? [] : [index],
  )
  const turnCount = caller?.turns ?? asking.length
  const missing =
    role === 'assistant' && caller === undefined ? asking.filter(index => index >= turn).length : 1
  return {
    code: 'not-recorded',
    details: { role, difference, missing, turns: turnCount, cassette },
    ...where,
  }
}

/** Evaluates judged expectations, except those of unreached turns. */
async function judgeCall(
  test: TestCase,
  call: ObservedCall,
  { models, signal }: AttemptContext,
): Promise<CheckResult> {
  const failures: Failure[] = []
  const undecided: Undecided[] = []
  const missing = () => models.missingResponses.filter(({ role }) => role === 'judge')
  const reachedTurns = test.turns.slice(0, call.turns.length)
  const judgedExpectations = [...reachedTurns.entries(), [undefined, test] as const].flatMap(
    ([turn, { expect }]) =>
      expect.flatMap(expected =>
        expected.kind === 'judge' || expected.kind === 'goal' ? [{ expected, turn }] : [],
      ),
  )
  for (const { expected, turn } of judgedExpectations) {
    const { judge } = await import('../judge/judge.ts')
    const where = { location: expected.location, turn }
    const before = missing().length
    const sentence =
      expected.kind === 'judge'
        ? expected.sentence
        : `The caller reached this goal: ${test.caller?.goal ?? ''}`
    const { verdict, reason } = await judge(models.judge, { sentence, call, turn }, signal)
    const answer = missing()[before]
    if (answer !== undefined) failures.push(createNotRecordedFailure(test, answer, models.cassette, where))
    else if (verdict === 'undecided') undecided.push({ ...where, reason })
    else if (expected.kind === 'judge') {
      if (verdict === 'no') failures.push({ code: 'judged-no', details: { sentence, reason }, ...where })
    } else if ((verdict === 'yes') !== expected.reached) {
      const { reached } = expected
      failures.push({ code: 'wrong-goal', details: { reached, reason }, ...where })
    }
  }
  return { failures, undecided }
}
