import type { ReplayRunOptions, TestProject } from '../run/run-options.ts'
import { runTests } from '../run/run-tests.ts'
import type { TestCase } from '../test-case.ts'
import type { TestResult } from '../verdict.ts'
import { type CallOutline, outlineObserved } from './call-outline.ts'
import type { DifferenceGroup } from './collect-differences.ts'
import { compareOutlines, compareWithRecorded, groupKey } from './compare-outlines.ts'
import type { FailedReplay, PreparedReplay, ReplayedCall, ReplayedVersion } from './replayed-call.ts'

interface ReplayOptions extends ReplayRunOptions {
  readonly versions: Readonly<Record<ReplayedVersion, TestProject>>
  /** Called after each replay. */
  onReplay?(result: TestResult): void
}

/** Replays calls on both versions of their project. @throws the signal's reason on abort, and errors of a version's resources */
export async function replayCalls(
  calls: readonly PreparedReplay[],
  options: ReplayOptions,
): Promise<readonly (readonly [call: PreparedReplay, replayed: ReplayedCall | FailedReplay])[]> {
  const tests = calls.map(({ test }) => test)
  const deployed = await replayOn('deployed', tests, options)
  const planned = await replayOn('planned', tests, options)
  return calls.map(call => {
    const [one, other] = [deployed(call.test), planned(call.test)]
    if ('code' in one || 'code' in other) return [call, 'code' in one ? one : (other as FailedReplay)]
    return [
      call,
      {
        ...call,
        deployed: one,
        planned: other,
        differences: compareOutlines(one, other, call.test.variables),
        drift: compareWithRecorded(call.recorded, one),
      },
    ]
  })
}

/** True if the example of a group differs in the same way on this version; false if its replay fails. */
export async function showsDifference(
  { example, difference }: DifferenceGroup,
  version: TestProject,
  options: Omit<ReplayOptions, 'versions'>,
): Promise<boolean> {
  const { test, deployed } = example
  const outline = (
    await replayOn('planned', [test], { ...options, versions: { deployed: version, planned: version } })
  )(test)
  if ('code' in outline) return false
  return compareOutlines(deployed, outline, test.variables).some(
    other => groupKey(other) === groupKey(difference),
  )
}

async function replayOn(version: ReplayedVersion, tests: readonly TestCase[], options: ReplayOptions) {
  const { versions, onReplay, ...run } = options
  const results = await runTests(tests, {
    ...run,
    bail: false,
    openProject: async () => versions[version],
    onResult: result => onReplay?.(result),
  })
  options.signal.throwIfAborted()
  const outlines = new Map(results.map(result => [result.test, readResult(result, version)]))
  return (test: TestCase) =>
    outlines.get(test) ?? ({ code: 'failed', version, reason: 'it was not replayed' } as const)
}

function readResult(
  { attempts: [attempt] }: TestResult,
  version: ReplayedVersion,
): CallOutline | FailedReplay {
  if (attempt === undefined) return { code: 'failed', version, reason: 'it was not replayed' }
  // A turn that this version does not reach is a difference.
  for (const failure of attempt.failures)
    if (failure.code === 'call-failed' || failure.code === 'model-failed')
      return { code: 'failed', version, reason: failure.details.reason }
  const [undecided] = attempt.undecided
  if (undecided !== undefined) return { code: 'failed', version, reason: undecided.reason }
  return outlineObserved(attempt.call)
}
