import { reasonOf } from '../../lib/error.ts'
import { type CallerTurn, Problem, type StoredCall } from '../../sandbox/index.ts'
import type { AttemptModels } from '../attempt-models.ts'
import { checkCall, checkTurn } from '../expect/check.ts'
import type { ObservedCall } from '../observed-call.ts'
import type { TestCase } from '../test-case.ts'
import type { Attempt, Failure } from '../verdict.ts'
import { holdCall, numbers, startTimeOf } from './hold-call.ts'
import { judgeAttempt } from './judge-attempt.ts'
import { modelFailuresOf } from './model-failures.ts'
import { observeCall } from './observe-call.ts'
import type { Template } from './open-templates.ts'
import type { NextTurn, RunOptions } from './run-options.ts'

/** Runs a test once. All that breaks is a failure of the test. @throws the signal's reason when it aborts */
export async function runAttempt(
  test: TestCase,
  number: number,
  template: Template,
  options: RunOptions,
): Promise<Attempt> {
  const lines = test.turns.map(({ caller }) => caller?.line ?? '')
  const observer = observeCall(turn => lines[turn] ?? '')
  let record: StoredCall | undefined
  try {
    const models = await options.openModels(test, { number, turn: observer.turn })
    const caller = simulatedCaller(test, models, options)
    record = await holdCall(test, {
      ...options,
      ...{ template, models, observer },
      nextTurn: caller?.nextTurn,
      onTurn: turn => void lines.push(lineOf(turn)),
    })
    const broke = observer.broke()
    if (broke !== undefined) throw new Error(broke)
    const call = observer.toCall(record)
    return { call, ...(await compare(test, call, { models, callerBroke: caller?.broke() }, options)) }
  } catch (error) {
    options.signal.throwIfAborted()
    const failures = [callFailed(test, error)]
    return { call: observer.toCall(record ?? noRecord(test)), failures, undecided: [] }
  }
}

interface Answers {
  readonly models: AttemptModels
  readonly callerBroke: string | undefined
}

/** Of a turn in which a model gave no answer that alone is reported, and nothing of what follows from a request without an answer. */
async function compare(
  test: TestCase,
  call: ObservedCall,
  { models, callerBroke }: Answers,
  options: RunOptions,
): Promise<Pick<Attempt, 'failures' | 'undecided'>> {
  const unanswered = modelFailuresOf(test, call, models, callerBroke)
  const { unknownFrom, hasFailed, isUnanalysed } = unanswered
  const isKnown = unknownFrom === Number.POSITIVE_INFINITY
  const judged = isKnown ? await judgeAttempt(test, call, models, options) : { failures: [], undecided: [] }
  const ofTurns = test.turns.flatMap((turn, number) =>
    number >= unknownFrom || hasFailed(number) ? [] : checkTurn(turn, call.turns[number], number, call),
  )
  const ofCall = isKnown ? checkCall(test, call) : []
  return {
    failures: [
      ...unanswered.failures,
      ...ofTurns,
      ...ofCall.filter(({ code }) => code !== 'wrong-analysis' || !isUnanalysed),
      ...judged.failures,
    ].sort((one, other) => orderOf(one) - orderOf(other)),
    undecided: [...unanswered.undecided, ...judged.undecided],
  }
}

/** Those of the whole call are the last. */
function orderOf({ turn = Number.MAX_SAFE_INTEGER }: Failure): number {
  return turn
}

function simulatedCaller(test: TestCase, models: AttemptModels, { createCaller }: RunOptions) {
  if (test.caller === undefined) return undefined
  if (models.caller === undefined || createCaller === undefined)
    throw new Error('there is no model that speaks for the caller')
  const next = createCaller(models.caller, test.caller)
  let broke: string | undefined
  const nextTurn: NextTurn = async (heard, signal) => {
    try {
      return await next(heard, signal)
    } catch (error) {
      broke = reasonOf(error)
      return { type: 'hang-up' }
    }
  }
  return { nextTurn, broke: () => broke }
}

/** In the caller's grammar. */
function lineOf(turn: CallerTurn): string {
  switch (turn.type) {
    case 'say':
      return turn.text.startsWith('/') ? `/${turn.text}` : turn.text
    case 'interrupt':
      return `/interrupt ${turn.text}`
    case 'keys':
      return `/keys ${turn.keys}`
    case 'silence':
      return `/say-nothing ${turn.milliseconds / 1000}`
    case 'hang-up':
      return '/hangup'
  }
}

function callFailed({ place }: TestCase, error: unknown): Failure {
  const hint = error instanceof Problem ? error.options.hint : undefined
  return { code: 'call-failed', details: { reason: reasonOf(error), hint }, place, turn: undefined }
}

/** Of a call that was not placed. */
function noRecord(test: TestCase): StoredCall {
  const at = new Date(startTimeOf(test)).toISOString()
  return {
    id: 'CC-',
    teamId: '',
    direction: 'outbound',
    ...{ createdAt: at, updatedAt: at },
    customer: { number: numbers.userNumber },
    status: 'completed',
    phoneVendor: '',
    phoneVendorDetails: { from: numbers.assistantNumber, to: numbers.userNumber },
    monitor: { controlUrl: '' },
  }
}
