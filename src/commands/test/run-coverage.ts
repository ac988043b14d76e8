import { percentOf } from '../../cli/render/coverage.ts'
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

/** How much is missing, where it is less than `--min`. */
export function shortfallOf(coverage: Coverage, { min }: Pick<TestOptions, 'min'>): string | undefined {
  const percent = percentOf(coverage)
  return min === undefined || percent >= min
    ? undefined
    : `${percent} % of the project is covered, less than --min ${min}`
}
