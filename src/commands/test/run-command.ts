import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import type { Reports } from '../reports/open-reports.ts'
import type { TestOptions } from '../test.ts'
import { toDocument } from './document.ts'
import { readTests } from './read-tests.ts'
import { selectTests } from './select-tests.ts'
import { renderRun, verdictOf } from './show-run.ts'
import { createTestRunner } from './test-runner.ts'

/**
 * Runs the tests that paths name, or those of the project around the folder, and prints what they came to. Nothing runs when one of the
 * files does not pass.
 * @throws CallwrightError `invalid` for files that do not pass and for no test, `partial` when a test failed, could not be judged or was
 * not run, `cancelled` after the signal, `usage` for flags that say nothing together
 */
export async function runTestCommand(
  paths: readonly string[],
  options: TestOptions,
  context: Context,
): Promise<void> {
  assertFlags(options)
  if (options.watch === true) return (await import('./watch-tests.ts')).watchTests(paths, options, context)
  if ((options.junit ?? options.sarif) === undefined) return runOnce(paths, options, context)
  // What writes reports is loaded only for them.
  const { withReports } = await import('../reports/open-reports.ts')
  const run = { command: 'test', done: 'all tests passed' } as const
  await withReports(run, options, context, reports => runOnce(paths, options, context, reports))
}

async function runOnce(
  paths: readonly string[],
  options: TestOptions,
  context: Context,
  reports?: Reports,
): Promise<void> {
  const { output, env, signal } = context
  const { tests, files } = await readTests(paths, options, context)
  reports?.assertNoneOf(files.map(({ path }) => path))
  const wanted = selectTests(tests, { name: options.name, tags: options.tag }, { isCi: isSet(env.CI) })
  const runner = createTestRunner(options, context)
  await runner.prepare(tests)
  const run = await runner.run(wanted)
  const view = await runner.viewOf(run)
  output.result(toDocument(run), () => renderRun(run, view))
  if (reports !== undefined || env.GITHUB_ACTIONS === 'true') {
    const { runCases, tellGitHub } = await import('./report-run.ts')
    await tellGitHub(run, context)
    await reports?.write({ cases: runCases(run, view) })
  }
  if (signal.aborted) throw new CallwrightError('cancelled', 'cancelled')
  const verdict = verdictOf(run)
  if (verdict !== undefined) throw verdict
}

function assertFlags({ watch, junit, sarif, repeat, pass }: TestOptions): void {
  if (watch === true && (junit ?? sarif) !== undefined) {
    const flag = junit === undefined ? '--sarif' : '--junit'
    throw new CallwrightError('usage', `--watch and ${flag} are both given`, {
      hint: 'a report is about one run: leave one of the two out',
    })
  }
  if (pass === undefined) return
  if (repeat === undefined)
    throw new CallwrightError('usage', '--pass is given without --repeat', {
      hint: `--repeat ${pass} --pass ${pass}`,
    })
  if (pass > repeat)
    throw new CallwrightError('usage', `--pass ${pass} is more than --repeat ${repeat}`, {
      hint: 'a test cannot pass more often than it is run',
    })
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
