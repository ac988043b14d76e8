import type { AttemptModels } from '../attempt-models.ts'
import type { ObservedCall } from '../observed-call.ts'
import type { Expectation, TestCase } from '../test-case.ts'
import type { Attempt, Failure } from '../verdict.ts'
import { notRecorded } from './model-failures.ts'
import type { RunOptions } from './run-options.ts'

type JudgedExpectation = Extract<Expectation, { kind: 'judge' | 'goal' }>

/** Asks the judge what only a model can say of a call. Of a turn that was not reached nothing is asked. */
export async function judgeAttempt(
  test: TestCase,
  call: ObservedCall,
  models: AttemptModels,
  { judge, signal }: Pick<RunOptions, 'judge' | 'signal'>,
): Promise<Pick<Attempt, 'failures' | 'undecided'>> {
  const failures: Failure[] = []
  const undecided: Attempt['undecided'][number][] = []
  const model = models.judge
  const missing = () => models.missing().filter(({ of }) => of === 'judge')
  for (const { expectation, turn } of judgedExpectations(test, call)) {
    const { place } = expectation
    const before = missing().length
    const sentence = expectation.kind === 'judge' ? expectation.sentence : goalOf(test)
    const { verdict, reason } =
      judge === undefined || model === undefined
        ? noJudge
        : await judge(model, { sentence, call, turn }, signal)
    const answer = missing()[before]
    if (answer !== undefined) failures.push(notRecorded(test, answer, models.cassette, { place, turn }))
    else if (verdict === 'undecided') undecided.push({ place, turn, reason })
    else if (expectation.kind === 'judge') {
      if (verdict === 'no') failures.push({ code: 'judged-no', details: { sentence, reason }, place, turn })
    } else if ((verdict === 'yes') !== expectation.reached) {
      const { reached } = expectation
      failures.push({ code: 'wrong-goal', details: { reached, reason }, place, turn })
    }
  }
  return { failures, undecided }
}

const noJudge = { verdict: 'undecided', reason: 'there is no model that judges' } as const

function judgedExpectations({ turns, expect }: TestCase, call: ObservedCall) {
  const of = (expected: readonly Expectation[], turn: number | undefined) =>
    expected.filter(isJudged).map(expectation => ({ expectation, turn }))
  return [
    ...turns.slice(0, call.turns.length).flatMap((turn, number) => of(turn.expect, number)),
    ...of(expect, undefined),
  ]
}

function isJudged(expectation: Expectation): expectation is JudgedExpectation {
  return expectation.kind === 'judge' || expectation.kind === 'goal'
}

function goalOf({ caller }: TestCase): string {
  return `The caller reached this goal: ${caller?.goal ?? ''}`
}
