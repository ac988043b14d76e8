import pLimit from 'p-limit'
import type { TestCase } from '../test-case.ts'
import type { Attempt, TestResult, TestStatus } from '../verdict.ts'
import { openTemplate, type Template } from './hold-call.ts'
import { runAttempt } from './run-attempt.ts'
import type { RunOptions } from './run-options.ts'

/**
 * Runs tests, each in a sandbox world of its own: nothing is sent but to models, and to the tools that a test passes through. With the
 * rules of the sandbox for a model the same tests come to the same results on every machine.
 * @returns a result for each test that was run to its end, in the order of the tests: all of them, but for `bail` and the signal
 * @throws what opening a project throws; then no test was run
 */
export async function runTests(
  tests: readonly TestCase[],
  options: RunOptions,
): Promise<readonly TestResult[]> {
  const { signal, bail } = options
  if (signal.aborted) return []
  const templates = new Map<string | undefined, Template>()
  const limit = pLimit(Math.max(1, options.jobs))
  const results = new Map<number, TestResult>()
  let reported = 0
  let stopsAt = Number.POSITIVE_INFINITY
  const done = (index: number, result: TestResult) => {
    results.set(index, result)
    if (!bail) return options.onResult?.(result)
    if (!passes(result)) stopsAt = Math.min(stopsAt, index)
    // What comes behind a test that does not pass is not known yet to count.
    for (let next = results.get(reported); next !== undefined && reported <= stopsAt; ) {
      options.onResult?.(next)
      reported += 1
      next = results.get(reported)
    }
  }
  const run = async (test: TestCase, index: number) => {
    if (signal.aborted || index > stopsAt) return
    const result = await runTest(test, templates.get(test.project), options)
    if (result !== undefined) done(index, result)
  }
  try {
    for (const { project, skip } of tests)
      if (skip === undefined && !templates.has(project))
        templates.set(project, await openTemplate(project, options))
    await Promise.all(tests.map((test, index) => limit(run, test, index)))
  } finally {
    for (const { world } of templates.values()) await world.close()
  }
  return [...results]
    .filter(([index]) => index <= stopsAt)
    .sort(([one], [other]) => one - other)
    .map(([, result]) => result)
}

function passes({ status }: TestResult): boolean {
  return status === 'passed' || status === 'skipped'
}

/** @returns undefined when the signal aborted first */
async function runTest(
  test: TestCase,
  template: Template | undefined,
  options: RunOptions,
): Promise<TestResult | undefined> {
  const { clock, signal } = options
  if (template === undefined || test.skip !== undefined)
    return { test, status: 'skipped', attempts: [], durationMs: 0 }
  const began = clock.now()
  const attempts: Attempt[] = []
  for (let number = 1; number <= test.repeat.times; number += 1) {
    try {
      attempts.push(await runAttempt(test, number, template, options))
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }
  return { test, status: statusOf(test, attempts), attempts, durationMs: clock.now() - began }
}

/** What is undecided could have passed. */
function statusOf({ repeat: { pass } }: TestCase, attempts: readonly Attempt[]): TestStatus {
  const unfailed = attempts.filter(({ failures }) => failures.length === 0)
  const passed = unfailed.filter(({ undecided }) => undecided.length === 0)
  if (passed.length >= pass) return 'passed'
  return unfailed.length >= pass ? 'undecided' : 'failed'
}
