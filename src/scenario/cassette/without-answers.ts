import type { AttemptModels, MissingAnswer, ModelRole } from '../attempt-models.ts'
import type { TestCase } from '../test-case.ts'
import type { Attempt, Failure, Undecided } from '../verdict.ts'
import { noRecordedAnswer } from './recorded-models.ts'

type Found = Pick<Attempt, 'failures' | 'undecided'>

/**
 * The verdict on a call some of whose requests had no answer. What has no recorded answer fails; what a model could not be asked is
 * undecided; neither passes. A turn whose reply is missing is the last of which anything is known: all else that was found from there on,
 * and of the whole call, is left out.
 */
export function withoutAnswers(test: TestCase, models: AttemptModels, found: Found): Found {
  const missing = models.missing()
  const unanswered = models.unanswered()
  const without = [...missing, ...unanswered]
  if (without.length === 0) return found
  const broken = without.find(({ of }) => of === 'assistant' || of === 'caller')
  const counts = (item: Pick<Undecided, 'turn'>) =>
    broken === undefined || (item.turn !== undefined && item.turn < broken.turn)
  const hasAnalysis = without.every(({ of }) => of !== 'analysis')
  const notRecorded = (item: MissingAnswer, place: Pick<Failure, 'place' | 'turn'>): Failure => {
    const { of, difference } = item
    const turns = test.caller?.turns ?? test.turns.length - 1
    const lost = of === 'assistant' && test.caller === undefined ? turns - Math.max(0, item.turn - 1) : 1
    const details = { of, difference, missing: lost, turns, cassette: models.cassette }
    return { code: 'not-recorded', details, ...place }
  }
  const judgements = missing.filter(({ of }) => of === 'judge')
  const decided = found.undecided.filter(counts).flatMap((item): (Failure | Undecided)[] => {
    const { place, turn, reason } = item
    const judgement = reason.includes(noRecordedAnswer) ? judgements.shift() : undefined
    return judgement === undefined ? [item] : [notRecorded(judgement, { place, turn })]
  })
  return {
    failures: [
      ...found.failures.filter(item => counts(item) && (hasAnalysis || item.code !== 'wrong-analysis')),
      ...decided.filter(item => 'code' in item),
      ...missing
        .filter(({ of }) => of !== 'judge')
        .map(item => notRecorded(item, placeOf(test, item.of, item.turn))),
    ],
    undecided: [
      ...decided.filter(item => 'reason' in item),
      ...unanswered
        .filter(({ of }) => of !== 'judge')
        .map(({ turn, of, reason }) => ({ ...placeOf(test, of, turn), reason })),
    ],
  }
}

/** The turn; for the analysis what is expected of it. */
function placeOf(test: TestCase, of: ModelRole, turn: number): Pick<Failure, 'place' | 'turn'> {
  if (of !== 'analysis') return { place: test.turns[turn]?.place ?? test.place, turn }
  const expectation = test.expect.find(({ kind }) => kind === 'analysis')
  return { place: expectation?.place ?? test.place, turn: undefined }
}
