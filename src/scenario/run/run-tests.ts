import type { CallerTurn } from '../../files/formats/caller-script.ts'
import type { StoredCall } from '../../files/formats/control-api.ts'
import { getErrorReason } from '../../lib/error.ts'
import { createDeferred } from '../../lib/queue.ts'
import { Problem } from '../../sandbox/index.ts'
import type { TestCase } from '../test-case.ts'
import type { Attempt, Failure, SpokenMessage, TestResult, TestStatus } from '../verdict.ts'
import { checkAttempt } from './check-attempt.ts'
import { createCallObserver } from './observe-call.ts'
import { exampleNumbers, getStartTime, openTemplate, runTestCall, type WorldTemplate } from './run-call.ts'
import type { AttemptModels, RunOptions } from './run-options.ts'

/**
 * Runs tests, each in its own sandbox world. Only models and passed-through tools are contacted. Without models, results are equal on every
 * machine.
 * @returns results in test order; some may be missing after `bail` or an abort
 * @throws errors of opening a project, before any test runs
 */
export async function runTests(
  tests: readonly TestCase[],
  options: RunOptions,
): Promise<readonly TestResult[]> {
  const { signal, bail, collect = async result => result } = options
  if (signal.aborted) return []
  const templates = new Map<string | undefined, WorldTemplate>()
  const waiting = new Map<number, TestResult>()
  const collected: TestResult[] = []
  let stopsAt = Number.POSITIVE_INFINITY
  /** Index of the first test whose result has not been collected. */
  let emittedCount = 0
  let advanced = createDeferred()
  let collecting = Promise.resolve()
  const advance = () => {
    advanced.resolve()
    advanced = createDeferred()
  }
  const collectResult = async (result: TestResult) => {
    if (bail) options.onResult?.(result)
    collected.push(await collect(result))
  }
  const collectInOrder = async () => {
    for (
      let next = waiting.get(emittedCount);
      next !== undefined && emittedCount <= stopsAt;
      next = waiting.get(emittedCount)
    ) {
      waiting.delete(emittedCount)
      await collectResult(next)
      emittedCount += 1
      advance()
    }
  }
  const run = async (test: TestCase, index: number) => {
    while (index - emittedCount > maxAhead && !signal.aborted && index <= stopsAt) await advanced.promise
    if (signal.aborted || index > stopsAt) return
    const result = await runTest(test, templates.get(test.project), options)
    if (result !== undefined) {
      if (!bail) options.onResult?.(result)
      // Report later, in order: an earlier test may still stop the run.
      else if (result.status !== 'passed' && result.status !== 'skipped') stopsAt = Math.min(stopsAt, index)
      waiting.set(index, result)
      collecting = collecting.then(collectInOrder)
      await collecting
    }
    // Waiting tests check whether to continue.
    advance()
  }
  let next = 0
  const work = async () => {
    for (let test = tests[next]; test !== undefined; test = tests[next]) await run(test, next++)
  }
  try {
    for (const { project, skip } of tests)
      if (skip === undefined && !templates.has(project))
        templates.set(project, await openTemplate(project, options))
    await Promise.all(Array.from({ length: Math.max(1, options.concurrency) }, work))
    // After a signal, results in between may be missing.
    for (const [index, result] of [...waiting].sort(([one], [other]) => one - other))
      if (index <= stopsAt) await collectResult(result)
  } finally {
    for (const { world } of templates.values()) await world.close()
  }
  return collected
}

/** Maximum number of results that wait for an earlier one. */
const maxAhead = 256

/** @returns undefined when the signal aborted first */
async function runTest(
  test: TestCase,
  template: WorldTemplate | undefined,
  options: RunOptions,
): Promise<TestResult | undefined> {
  const { clock, signal } = options
  if (template === undefined || test.skip !== undefined)
    return { test, status: 'skipped', attempts: [], durationMs: 0 }
  const startedAt = clock.now()
  const attempts: Attempt[] = []
  for (let number = 1; number <= test.repeat.times; number += 1) {
    try {
      attempts.push(await runAttempt(test, number, template, options))
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }
  return { test, status: toStatus(test, attempts), attempts, durationMs: clock.now() - startedAt }
}

/** Counts undecided attempts as possible passes. */
function toStatus({ repeat: { pass } }: TestCase, attempts: readonly Attempt[]): TestStatus {
  const withoutFailure = attempts.filter(({ failures }) => failures.length === 0)
  const passed = withoutFailure.filter(({ undecided }) => undecided.length === 0)
  if (passed.length >= pass) return 'passed'
  return withoutFailure.length >= pass ? 'undecided' : 'failed'
}

/** Runs a test once. Every error becomes a failure of the test. @throws the signal's reason on abort */
async function runAttempt(
  test: TestCase,
  number: number,
  template: WorldTemplate,
  options: RunOptions,
): Promise<Attempt> {
  const { signal } = options
  const observer = createCallObserver(test)
  let record: StoredCall | undefined
  try {
    const models = await options.openModels(test, { number, turn: observer.turn })
    const caller = await openCaller(test, models, observer.turn, signal)
    record = await runTestCall(test, { ...options, template, models, observer, nextTurn: caller?.nextTurn })
    const broke = observer.broke()
    if (broke !== undefined) throw new Error(broke)
    const call = observer.toCall(record)
    return { call, ...(await checkAttempt(test, call, { models, callerFailure: caller?.broke(), signal })) }
  } catch (error) {
    signal.throwIfAborted()
    const hint = error instanceof Problem ? error.options.hint : undefined
    const details = { reason: getErrorReason(error), hint }
    const failure: Failure = { code: 'call-failed', details, location: test.location, turn: undefined }
    return { call: observer.toCall(record ?? createEmptyRecord(test)), failures: [failure], undecided: [] }
  }
}

/** Creates a simulated caller, which hangs up if its model fails. */
async function openCaller(
  { caller }: TestCase,
  models: AttemptModels,
  turn: () => number,
  signal: AbortSignal,
) {
  if (caller === undefined) return undefined
  const { createSimulatedCaller } = await import('../judge/simulated-caller.ts')
  const next = createSimulatedCaller(models.caller, caller)
  let broke: { readonly reason: string; readonly turn: number } | undefined
  return {
    async nextTurn(heard: readonly SpokenMessage[]): Promise<CallerTurn> {
      try {
        return await next(heard, signal)
      } catch (error) {
        broke = { reason: getErrorReason(error), turn: turn() }
        return { type: 'hang-up' }
      }
    },
    broke: () => broke,
  }
}

/** Returns a record for a call that was not placed. */
function createEmptyRecord(test: TestCase): StoredCall {
  const at = new Date(getStartTime(test)).toISOString()
  return {
    id: 'CC-',
    teamId: '',
    direction: 'outbound',
    ...{ createdAt: at, updatedAt: at },
    customer: { number: exampleNumbers.userNumber },
    status: 'completed',
    phoneVendor: '',
    phoneVendorDetails: { from: exampleNumbers.assistantNumber, to: exampleNumbers.userNumber },
    monitor: { controlUrl: '' },
  }
}
