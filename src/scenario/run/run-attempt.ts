import type { StoredCall } from '../../interface/control-api.ts'
import { reasonOf } from '../../lib/error.ts'
import { type CallerTurn, Problem } from '../../sandbox/index.ts'
import type { TestCase } from '../test-case.ts'
import type { Attempt, Failure, SaidMessage } from '../verdict.ts'
import { checkAttempt } from './check-attempt.ts'
import { holdCall, numbers, startTimeOf, type Template } from './hold-call.ts'
import { observeCall } from './observe-call.ts'
import type { AttemptModels, RunOptions } from './run-options.ts'

/** Runs a test once. All that breaks is a failure of the test. @throws the signal's reason when it aborts */
export async function runAttempt(
  test: TestCase,
  number: number,
  template: Template,
  options: RunOptions,
): Promise<Attempt> {
  const { signal } = options
  const observer = observeCall(test)
  let record: StoredCall | undefined
  try {
    const models = await options.openModels(test, { number, turn: observer.turn })
    const caller = await openCaller(test, models, signal)
    record = await holdCall(test, { ...options, template, models, observer, nextTurn: caller?.nextTurn })
    const broke = observer.broke()
    if (broke !== undefined) throw new Error(broke)
    const call = observer.toCall(record)
    return { call, ...(await checkAttempt(test, call, { models, callerBroke: caller?.broke(), signal })) }
  } catch (error) {
    signal.throwIfAborted()
    const failures = [callFailed(test, error)]
    return { call: observer.toCall(record ?? noRecord(test)), failures, undecided: [] }
  }
}

/** A simulated caller, who hangs up where its model fails. */
async function openCaller({ caller }: TestCase, models: AttemptModels, signal: AbortSignal) {
  if (caller === undefined) return undefined
  const { createSimulatedCaller } = await import('../judge/simulated-caller.ts')
  const next = createSimulatedCaller(models.caller, caller)
  let broke: string | undefined
  return {
    async nextTurn(heard: readonly SaidMessage[]): Promise<CallerTurn> {
      try {
        return await next(heard, signal)
      } catch (error) {
        broke = reasonOf(error)
        return { type: 'hang-up' }
      }
    },
    broke: () => broke,
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
