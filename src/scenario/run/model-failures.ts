import type { AttemptModels, ModelRole } from '../attempt-models.ts'
import type { ObservedCall } from '../observed-call.ts'
import type { Place, TestCase } from '../test-case.ts'
import type { Failure } from '../verdict.ts'

/** What models did not answer in a call. Who asks the judge reports what it did not answer. */
export interface ModelFailures {
  readonly failures: readonly Failure[]
  /** Of no turn from this one on it can be said what the assistant would have done. */
  readonly unknownFrom: number
  /** A model failed in this turn: what is expected of it is not compared. */
  hasFailed(turn: number): boolean
  /** The analysis has no answer. */
  readonly isUnanalysed: boolean
}

type Models = Pick<AttemptModels, 'missing' | 'unanswered' | 'cassette'>

/** `callerBroke`: why the simulated caller hung up. */
export function modelFailuresOf(
  test: TestCase,
  call: ObservedCall,
  models: Models,
  callerBroke: string | undefined,
): ModelFailures {
  const missing = missingAnswers(test, models)
  const unknownFrom = missing.find(({ turn }) => turn !== undefined)?.turn ?? Number.POSITIVE_INFINITY
  const failed = [
    ...call.turns.flatMap(({ failures }, turn) => {
      const broken = failures.find(({ part }) => part === 'model')
      return broken === undefined || turn >= unknownFrom ? [] : [failure(test, turn, broken.message)]
    }),
    ...models
      .unanswered()
      .filter(({ of }) => of === 'analysis')
      .slice(0, 1)
      .map(({ reason }) => failure(test, undefined, reason)),
    ...(callerBroke === undefined || missing.some(({ details }) => details.of === 'caller')
      ? []
      : [failure(test, undefined, callerBroke)]),
  ]
  const failures = [...failed, ...missing]
  const turns = new Set(failed.map(({ turn }) => turn))
  const isOfAnalysis = ({ of }: { readonly of: ModelRole }) => of === 'analysis'
  return {
    failures,
    unknownFrom,
    hasFailed: turn => turns.has(turn),
    isUnanalysed: models.missing().some(isOfAnalysis) || models.unanswered().some(isOfAnalysis),
  }
}

/** The first request of the conversation that has no recorded answer: the others follow from it. Else the one of the analysis. */
function missingAnswers(test: TestCase, models: Models): Extract<Failure, { code: 'not-recorded' }>[] {
  const all = models.missing()
  const ofTalk = all.filter(({ of }) => of === 'assistant' || of === 'caller')
  const first = ofTalk[0] ?? all.find(({ of }) => of === 'analysis')
  if (first === undefined) return []
  const { of, difference } = first
  const turn = of === 'analysis' ? undefined : first.turn
  const details = {
    of,
    difference,
    missing: new Set(ofTalk.map(({ turn }) => turn)).size,
    turns: test.caller?.turns ?? test.turns.length - 1,
    cassette: models.cassette,
  }
  return [{ code: 'not-recorded', details, turn, place: placeOf(test, turn) }]
}

function failure(test: TestCase, turn: number | undefined, reason: string): Failure {
  return { code: 'model-failed', details: { reason }, turn, place: placeOf(test, turn) }
}

/** Of a turn that the file does not have, where a model speaks for the caller, the test's own. */
function placeOf({ turns, place }: TestCase, turn: number | undefined): Place {
  return (turn === undefined ? undefined : turns[turn]?.place) ?? place
}
