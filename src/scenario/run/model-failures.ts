import type { AttemptModels, MissingAnswer, ModelRole } from '../attempt-models.ts'
import type { ObservedCall } from '../observed-call.ts'
import type { Place, TestCase } from '../test-case.ts'
import type { Attempt, Failure } from '../verdict.ts'

/** What models did not answer in a call: recorded answers that are missing fail, models that could not be asked leave it undecided. */
export interface ModelFailures extends Pick<Attempt, 'failures' | 'undecided'> {
  /** Of no turn from this one on it can be said what the assistant would have done. */
  readonly unknownFrom: number
  /** A model failed in this turn: what is expected of it is not compared. */
  hasFailed(turn: number): boolean
  /** The analysis has no answer. */
  readonly isUnanalysed: boolean
}

type Models = Pick<AttemptModels, 'missing' | 'unanswered' | 'cassette'>

/** `callerBroke`: why the simulated caller hung up. Who asks the judge reports what it did not answer. */
export function modelFailuresOf(
  test: TestCase,
  call: ObservedCall,
  models: Models,
  callerBroke: string | undefined,
): ModelFailures {
  const missing = firstOf(models.missing())
  const unanswered = firstOf(models.unanswered())
  const unknownFrom = Math.min(
    ...[...missing, ...unanswered].flatMap(item => (isOfTalk(item) ? item.turn : [])),
  )
  const failed = call.turns.flatMap(({ failures }, turn) => {
    const broken = failures.find(({ part }) => part === 'model')
    return broken === undefined || turn >= unknownFrom ? [] : [failure(test, turn, broken.message)]
  })
  const callerFailed = callerBroke !== undefined && unknownFrom === Number.POSITIVE_INFINITY
  const turns = new Set(failed.map(({ turn }) => turn))
  return {
    failures: [
      ...failed,
      ...(callerFailed ? [failure(test, undefined, callerBroke)] : []),
      ...missing.map(answer => notRecorded(test, answer, models.cassette, placeOf(test, answer))),
    ],
    undecided: unanswered.map(answer => ({ ...placeOf(test, answer), reason: answer.reason })),
    unknownFrom,
    hasFailed: turn => turns.has(turn),
    isUnanalysed: [...missing, ...unanswered].some(({ of }) => of === 'analysis'),
  }
}

/** What follows from it in the conversation has no recorded answer either. */
export function notRecorded(
  { turns, caller }: TestCase,
  { turn, of, difference }: MissingAnswer,
  cassette: string,
  place: Pick<Failure, 'place' | 'turn'>,
): Failure {
  const asking = turns.flatMap(({ caller }, index) =>
    caller === undefined || caller.turn.type === 'hang-up' ? [] : [index],
  )
  const all = caller?.turns ?? asking.length
  const missing =
    of === 'assistant' && caller === undefined ? asking.filter(index => index >= turn).length : 1
  return { code: 'not-recorded', details: { of, difference, missing, turns: all, cassette }, ...place }
}

interface Request {
  readonly turn: number
  readonly of: ModelRole
}

function isOfTalk({ of }: Request): boolean {
  return of === 'assistant' || of === 'caller'
}

/** The first request of the conversation: the others follow from it. Else the first one of the analysis. */
function firstOf<Item extends Request>(requests: readonly Item[]): Item[] {
  const first = requests.find(isOfTalk) ?? requests.find(({ of }) => of === 'analysis')
  return first === undefined ? [] : [first]
}

function failure(test: TestCase, turn: number | undefined, reason: string): Failure {
  const { place } = turn === undefined ? test : placeOf(test, { turn, of: 'assistant' })
  return { code: 'model-failed', details: { reason }, turn, place }
}

/** The turn; one that the file does not have, where a model speaks for the caller, stands where the test does. Of the analysis what is expected of it. */
function placeOf(
  test: TestCase,
  { turn, of }: Request,
): { readonly place: Place; readonly turn: number | undefined } {
  if (of !== 'analysis') return { place: test.turns[turn]?.place ?? test.place, turn }
  const expected = test.expect.find(({ kind }) => kind === 'analysis')
  return { place: expected?.place ?? test.place, turn: undefined }
}
