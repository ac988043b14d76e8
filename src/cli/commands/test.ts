import { CallyardError } from '../../lib/error.ts'
import { join } from '../../lib/text/text.ts'
import { type Coverage, computeCoverage, type RunOptions } from '../../scenario/index.ts'
import {
  notRunEntry,
  type TestRun,
  testEntry,
  withoutCalls,
  withoutTests,
} from '../../scenario/results/index.ts'
import type { Reports } from '../shell/ci-reports/open-reports.ts'
import { assertExclusive, defineCommand } from '../shell/cli-command.ts'
import type { Context, OutputList } from '../shell/context.ts'
import { coverageText, getCoveredPercent } from '../shell/render/coverage.ts'
import { failureWords } from '../shell/render/failure-words.ts'
import { isWrong, repeatCommand, rulesNote } from '../shell/render/test-failure.ts'
import type { SchemaBuilders } from '../shell/schema-builders.ts'
import { hasPage, type TestOptions, withTestFlags } from './scenario/flags.ts'
import { readTests, selectTests } from './scenario/read-tests.ts'
import { getRunFailure, renderRun } from './scenario/show-run.ts'
import { createTestRunner, type TestRunner } from './scenario/test-runner.ts'
import { printWarnings } from './warnings.ts'

export const testCommand = defineCommand({
  description: 'Test conversations with assistants offline',
  examples: [
    'callyard test',
    'callyard test tests/hours.test.yaml --watch',
    'callyard test --coverage --out callyard.xml',
  ],
  topics: ['testing', 'testing-models', 'exit-codes'],
  effect: 'none',
  flags: withTestFlags,
  needs: { repeat: ['pass'] },
  result: testResult,
  /**
   * Runs the tests that paths name, or those of the project around the folder, and prints the results. Nothing runs if one of the files
   * is invalid.
   * @throws CallyardError `invalid` for files that do not pass and for no test, `partial` when a test failed, could not be judged or was
   * not run, `cancelled` after the signal, `usage` for flags that cannot be combined
   */
  async run(options, context, [paths]) {
    assertFlags(options)
    if (options.watch === true)
      return (await import('./scenario/watch-tests.ts')).watchTests(paths, options, context)
    if (options.out === undefined) return runOnce(paths, options, context)
    // Lazy: most runs write no reports.
    const { withReports } = await import('../shell/ci-reports/open-reports.ts')
    const run = { command: 'test', done: 'all tests passed' } as const
    await withReports(run, options, context, reports => runOnce(paths, options, context, reports))
  },
})

async function testResult({ z, eventSchema, optional, required }: SchemaBuilders) {
  const { coverageSchema } = await import('../../scenario/coverage/coverage-schema.ts')
  const { cassetteChangeSchema } = await import('../../scenario/cassette/change-schema.ts')
  const { testRunSchema } = await import('../../scenario/results/result-schema.ts')
  const { errorSchema } = await import('./failure-result.ts')
  return {
    document: z.union([
      z.extend(testRunSchema, {
        coverage: optional(coverageSchema, 'With --coverage, --min-coverage or an HTML report'),
        cassettes: optional(z.array(cassetteChangeSchema), 'With --update'),
      }),
      z.object({ tests: testRunSchema.shape.tests, error: errorSchema }),
    ]),
    /** With --watch. */
    event: z.union([
      eventSchema('run', { changed: required(z.array(z.string()), 'Files'), ...testRunSchema.shape }),
      eventSchema('invalid', { error: errorSchema }),
    ]),
  }
}

async function runOnce(
  paths: readonly string[],
  options: TestOptions,
  context: Context,
  reports?: Reports,
): Promise<void> {
  const runner = createTestRunner(paths, options, context)
  const { tests, files, warnings } = await readTests(paths, options, context, runner.projectOf)
  await reports?.assertNoneOf(files.map(({ path }) => path))
  const selectedTests = selectTests(tests, options, context)
  await runner.prepare(tests, selectedTests)
  printWarnings(warnings, context)
  const list = context.output.list('tests')
  const run = await runner.run(selectedTests, collectorOf(list, options, context))
  await show(run, { runner, reports, list }, options, context)
}

/** Writes each result when its test ends and keeps only what the command still needs: calls of passed tests are large. */
function collectorOf(
  list: OutputList,
  { coverage, minCoverage, update, out }: TestOptions,
  { output }: Context,
): RunOptions['collect'] {
  const needsCalls = coverage === true || update === true || minCoverage !== undefined || hasPage(out)
  const showsFailures = !output.json || out !== undefined
  return async result => {
    list.item(testEntry(result, failureWords))
    await output.drained()
    return needsCalls || (showsFailures && isWrong(result)) ? result : withoutCalls(result)
  }
}

/** Prints a run with its coverage, writes its reports, and with -u what was recorded. */
async function show(
  run: TestRun,
  {
    runner,
    reports,
    list,
  }: {
    runner: TestRunner
    reports: Reports | undefined
    list: OutputList
  },
  options: TestOptions,
  context: Context,
): Promise<void> {
  const { output, env, signal } = context
  const { coverage: showsCoverage, minCoverage } = options
  const showsPage = hasPage(options.out)
  const view = await runner.viewOf(run)
  const texts = output.json ? [] : [renderRun(run, view)]
  const wantsCoverage = showsCoverage === true || minCoverage !== undefined || showsPage
  const coverage = wantsCoverage ? coverageOfRun(run, runner) : undefined
  if (coverage !== undefined && (showsCoverage === true || minCoverage !== undefined))
    texts.push(coverageText(coverage))
  const cassettes = await runner.changes(run)
  if (output.json) {
    for (const test of run.notRun) list.item(notRunEntry(test))
    list.end({
      ...withoutTests(run),
      coverage,
      cassettes: options.update === true ? cassettes : undefined,
    })
  } else output.result(undefined, () => join(texts, '\n\n'))
  if (reports !== undefined || env.GITHUB_ACTIONS === 'true') {
    const { runCases, tellGitHub } = await import('./scenario/report-run.ts')
    await tellGitHub(run, context)
    const page = showsPage
      ? (await import('../shell/ci-reports/conversations-html.ts')).testsPage({
          ...run,
          coverage,
          figures: await (await import('./scenario/read-figures.ts')).readTestFigures(run.results),
          commandOf: result => repeatCommand(result, view),
        })
      : undefined
    const note = rulesNote(run.results)
    await reports?.write({
      cases: runCases(run, view),
      page,
      properties: note === undefined ? undefined : { replies: note },
    })
  }
  if (signal.aborted) throw new CallyardError('cancelled', 'cancelled')
  if (options.update === true)
    await (await import('./scenario/record-responses.ts')).recordResponses(
      cassettes,
      run.results,
      options,
      context,
    )
  const verdict = getRunFailure(run)
  const shortfall = coverage && shortfallOf(coverage, options)
  if (shortfall === undefined && verdict === undefined) return
  const { hint } = verdict ?? { hint: 'the list above shows what no test covers' }
  const parts = [verdict?.message, shortfall].filter(part => part !== undefined)
  throw new CallyardError('partial', parts.join('; '), { hint })
}

function coverageOfRun({ results, notRun }: TestRun, { project }: TestRunner): Coverage {
  const tests = [...results.map(({ test }) => test), ...notRun.map(({ test }) => test)]
  const folders = [...new Set(tests.flatMap(({ project }) => project ?? []))]
  const projects = folders.flatMap(folder => project(folder) ?? [])
  return computeCoverage(projects, results)
}

/** Describes how far the coverage is below `--min-coverage`, if it is. */
function shortfallOf(coverage: Coverage, { minCoverage }: TestOptions): string | undefined {
  const percent = getCoveredPercent(coverage)
  if (minCoverage === undefined || percent >= minCoverage) return undefined
  return `${percent} % of the project is covered, less than --min-coverage ${minCoverage}`
}

function assertFlags(options: TestOptions): void {
  const { watch, update, out, coverage, minCoverage, repeat, pass } = options
  const ofOneRun = {
    ...{ '--out': out, '--coverage': coverage, '--min-coverage': minCoverage, '-u': update },
  }
  if (watch === true)
    assertExclusive(
      { '--watch': watch, ...ofOneRun },
      'remove one of them: it applies to a single run of all tests',
    )
  if (pass !== undefined && repeat !== undefined && pass > repeat)
    throw new CallyardError('usage', `--pass ${pass} is more than --repeat ${repeat}`, {
      hint: 'a test cannot pass more often than it runs',
    })
}
