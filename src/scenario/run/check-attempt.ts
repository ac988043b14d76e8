import { checkCall, checkTurn } from '../expect/check.ts'
import type { TestCase } from '../test-case.ts'
import type { Attempt, Failure, MissingAnswer, ObservedCall, Undecided } from '../verdict.ts'
import type { AttemptModels } from './run-options.ts'

interface Answers {
  readonly models: AttemptModels
  /** Reason and turn in which the simulated caller hung up. */
  readonly callerBroke: { readonly reason: string; readonly turn: number } | undefined
  readonly signal: AbortSignal
}

type Found = Pick<Attempt, 'failures' | 'undecided'>

/**
 * Checks a call. A turn whose model request failed reports only that, and nothing is checked after a request without a response. A missing
 * recording is a failure; an unreachable model, or a caller's model with invalid output, leaves the test undecided.
 */
export async function checkAttempt(test: TestCase, call: ObservedCall, answers: Answers): Promise<Found> {
  const { models, callerBroke } = answers
  const missing = firstOf(models.missing)
  const isReported = [...models.missing, ...models.unanswered].some(isOfTalk)
  const unreadable =
    callerBroke === undefined || isReported ? [] : [{ ...callerBroke, of: 'caller' } as const]
  const unanswered = firstOf([...unreadable, ...models.unanswered])
  const without = [...missing, ...unanswered]
  /** First turn in which the assistant's behavior is unknown. */
  const unknownFrom = Math.min(...without.filter(isOfTalk).map(({ turn }) => turn))
  const isKnown = unknownFrom === Number.POSITIVE_INFINITY
  const isUnanalysed = without.some(({ of }) => of === 'analysis')
  const broken = call.turns.map(({ failures }) => failures.find(({ part }) => part === 'model')?.message)
  const judged = isKnown ? await judgeCall(test, call, answers) : { failures: [], undecided: [] }
  const failures = [
    ...broken.flatMap((reason, turn) =>
      reason === undefined || turn >= unknownFrom ? [] : modelFailed(placeOf(test, turn), reason),
    ),
    ...missing.map(answer => notRecorded(test, answer, models.cassette, placeOfRequest(test, answer))),
    ...test.turns.flatMap((turn, number) =>
      number >= unknownFrom || broken[number] !== undefined ? [] : checkTurn(turn, number, call),
    ),
    ...(isKnown ? checkCall(test.expect, call) : []).filter(
      ({ code }) => code !== 'wrong-analysis' || !isUnanalysed,
    ),
    ...judged.failures,
  ]
  return {
    failures: failures.sort((one, other) => orderOf(one) - orderOf(other)),
    undecided: [
      ...unanswered.map(answer => ({ ...placeOfRequest(test, answer), reason: answer.reason })),
      ...judged.undecided,
    ],
  }
}

/** Sorts failures of the whole call last. */
function orderOf({ turn = Number.MAX_SAFE_INTEGER }: Failure): number {
  return turn
}

type Request = Pick<MissingAnswer, 'turn' | 'of'>

function isOfTalk({ of }: Request): boolean {
  return of === 'assistant' || of === 'caller'
}

/** Returns the first request of the conversation, on which the others depend, or else of the analysis. */
function firstOf<Item extends Request>(requests: readonly Item[]): Item[] {
  const first = requests.find(isOfTalk) ?? requests.find(({ of }) => of === 'analysis')
  return first === undefined ? [] : [first]
}

type FailurePlace = Pick<Failure, 'place' | 'turn'>

/** Falls back to the test for turns of a simulated caller, which are not in the file. */
function placeOf(test: TestCase, turn: number): FailurePlace {
  return { place: test.turns[turn]?.place ?? test.place, turn }
}

/** Locates analysis requests at the analysis expectation. */
function placeOfRequest(test: TestCase, { turn, of }: Request): FailurePlace {
  if (of !== 'analysis') return placeOf(test, turn)
  const expected = test.expect.find(({ kind }) => kind === 'analysis')
  return { place: expected?.place ?? test.place, turn: undefined }
}

function modelFailed(where: FailurePlace, reason: string): Failure {
  return { code: 'model-failed', details: { reason }, ...where }
}

/** Counts later turns, because they have no recorded response either. */
function notRecorded(
  { turns, caller }: TestCase,
  { turn, of, difference }: MissingAnswer,
  cassette: string,
  where: FailurePlace,
): Failure {
  const asking = turns.flatMap(({ caller }, index) =>
    caller === undefined || caller.turn.type === 'hang-up' ? [] : [index],
  )
  const all = caller?.turns ?? asking.length
  const missing =
    of === 'assistant' && caller === undefined ? asking.filter(index => index >= turn).length : 1
  return { code: 'not-recorded', details: { of, difference, missing, turns: all, cassette }, ...where }
}

/** Evaluates judged expectations, except those of unreached turns. */
async function judgeCall(test: TestCase, call: ObservedCall, { models, signal }: Answers): Promise<Found> {
  const failures: Failure[] = []
  const undecided: Undecided[] = []
  const missing = () => models.missing.filter(({ of }) => of === 'judge')
  const reached = test.turns.slice(0, call.turns.length)
  const judged = [...reached.entries(), [undefined, test] as const].flatMap(([turn, { expect }]) =>
    expect.flatMap(expected =>
      expected.kind === 'judge' || expected.kind === 'goal' ? [{ expected, turn }] : [],
    ),
  )
  for (const { expected, turn } of judged) {
    const { judge } = await import('../judge/judge.ts')
    const where = { place: expected.place, turn }
    const before = missing().length
    const sentence =
      expected.kind === 'judge'
        ? expected.sentence
        : `The caller reached this goal: ${test.caller?.goal ?? ''}`
    const { verdict, reason } = await judge(models.judge, { sentence, call, turn }, signal)
    const answer = missing()[before]
    if (answer !== undefined) failures.push(notRecorded(test, answer, models.cassette, where))
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
