import type { Context } from '../../cli/context.ts'
import { givenFlag } from '../../cli/flags/flag.ts'
import { CallwrightError } from '../../lib/error.ts'
import { join, type Text } from '../../lib/text/text.ts'
import type { Coverage, TestCase, TestChange } from '../../scenario/index.ts'
import type { Reports } from '../reports/open-reports.ts'
import type { TestOptions } from '../test.ts'
import type { OldVersion } from './compare-versions.ts'
import { type TestRun, testDocument } from './document.ts'
import { readTests, warnOfTests } from './read-tests.ts'
import { selectTests } from './select-tests.ts'
import { renderRun, verdictOf } from './show-run.ts'
import { createTestRunner, type TestRunner } from './test-runner.ts'

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
  if ((options.junit ?? options.sarif ?? options.report) === undefined)
    return runOnce(paths, options, context)
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
  const { tests, files, warnings } = await readTests(paths, options, context)
  reports?.assertNoneOf(files.map(({ path }) => path))
  const wanted = selectTests(tests, { name: options.name, tags: options.tag }, context)
  const runner = createTestRunner(options, context)
  await runner.prepare(tests, wanted)
  await warnOfTests(warnings, context)
  const { against } = options
  const old =
    against === undefined
      ? undefined
      : await (await import('./compare-versions.ts')).openOldVersion(against, wanted, options, context)
  try {
    await runAndShow(wanted, { runner, old, reports }, options, context)
  } finally {
    await old?.close()
  }
}

interface RunParts {
  readonly runner: TestRunner
  readonly old: OldVersion | undefined
  readonly reports: Reports | undefined
}

async function runAndShow(
  wanted: readonly TestCase[],
  parts: RunParts,
  options: TestOptions,
  context: Context,
): Promise<void> {
  const { runner, reports } = parts
  const { output, env, signal } = context
  const run = await runner.run(wanted)
  const view = await runner.viewOf(run)
  const { coverage, texts, document } = await further(run, parts, options, context)
  output.result({ ...testDocument(run), ...document }, () => join([renderRun(run, view), ...texts], '\n\n'))
  if (reports !== undefined || env.GITHUB_ACTIONS === 'true') {
    const { runCases, tellGitHub } = await import('./report-run.ts')
    await tellGitHub(run, context)
    await reports?.write({ cases: runCases(run, view), page: await pageOf(run, coverage, options) })
  }
  if (signal.aborted) throw new CallwrightError('cancelled', 'cancelled')
  await runner.record(run)
  const verdict = verdictOf(run)
  const shortfall = coverage && (await import('./run-coverage.ts')).shortfallOf(coverage, options)
  if (verdict !== undefined)
    throw shortfall === undefined
      ? verdict
      : new CallwrightError(verdict.kind, `${verdict.message}; ${shortfall}`, { hint: verdict.hint })
  if (shortfall !== undefined)
    throw new CallwrightError('partial', shortfall, { hint: 'the list above says what no test went through' })
}

interface Further {
  readonly coverage?: Coverage
  readonly texts: readonly Text[]
  readonly document: Readonly<Record<string, unknown>>
}

/** Coverage, and the comparison with another version, where they are asked for. */
async function further(
  run: TestRun,
  { runner, old }: RunParts,
  options: TestOptions,
  { output, signal }: Context,
): Promise<Further> {
  const { against } = options
  const texts: Text[] = []
  const wantsCoverage = options.coverage === true || (options.min ?? options.report) !== undefined
  const coverage = wantsCoverage ? (await import('./run-coverage.ts')).coverageOfRun(run, runner) : undefined
  if (coverage !== undefined && (options.coverage === true || options.min !== undefined))
    texts.push((await import('../../cli/render/coverage.ts')).coverageText(coverage, output.width))
  let changes: readonly TestChange[] | undefined
  if (old !== undefined && against !== undefined && !signal.aborted) {
    changes = await old.compare(run)
    const { versionChangesText } = await import('../../cli/render/version-changes.ts')
    texts.push(versionChangesText(changes, against, output.width))
  }
  return {
    ...(coverage === undefined ? {} : { coverage }),
    texts,
    document: {
      ...(coverage === undefined ? {} : { coverage }),
      ...(changes === undefined ? {} : { against: { version: against, tests: changes.map(changeEntry) } }),
    },
  }
}

function changeEntry({ test, ...change }: TestChange) {
  return { id: test.id, name: test.name, file: test.file, ...change }
}

async function pageOf(
  { results, startedAt }: TestRun,
  coverage: Coverage | undefined,
  { report }: TestOptions,
): Promise<string | undefined> {
  if (report === undefined) return undefined
  const { testsPage } = await import('../../cli/reports/conversations-html.ts')
  return testsPage({ results, coverage, startedAt })
}

function assertFlags(options: TestOptions): void {
  const { watch, update, junit, sarif, report, against, coverage, min, repeat, pass } = options
  const ofOneRun = givenFlag({
    '--junit': junit,
    '--sarif': sarif,
    '--report': report,
    '--against': against,
    '--coverage': coverage,
    '--min': min,
    '-u': update,
  })
  if (watch === true && ofOneRun !== undefined) {
    throw new CallwrightError('usage', `--watch and ${ofOneRun} are both given`, {
      hint: 'it is about one run of all tests: leave one of the two out',
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
