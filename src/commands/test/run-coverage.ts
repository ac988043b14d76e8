import { percentOf } from '../../cli/messages/coverage.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type Coverage, coverageOf } from '../../scenario/index.ts'
import type { TestOptions } from '../test.ts'
import type { TestRun } from './document.ts'
import type { TestRunner } from './test-runner.ts'

/** What of their projects the tests of a run went through. */
export function coverageOfRun(
  { results, notRun }: TestRun,
  { project }: Pick<TestRunner, 'project'>,
): Coverage {
  const tests = [...results.map(({ test }) => test), ...notRun]
  const folders = [...new Set(tests.flatMap(({ project }) => project ?? []))]
  return coverageOf(
    folders.flatMap(folder => project(folder) ?? []),
    results,
  )
}

/** @throws CallwrightError `partial` where it is less than `--min` */
export function assertCovered(coverage: Coverage, { min }: Pick<TestOptions, 'min'>): void {
  const percent = percentOf(coverage)
  if (min === undefined || percent >= min) return
  throw new CallwrightError('partial', `${percent} % of the project is covered, less than --min ${min}`, {
    hint: 'the list above says what no test went through',
  })
}
