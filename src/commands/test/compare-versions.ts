import type { Context } from '../../cli/context.ts'
import { compareResults, countWords, type TestChange } from '../../scenario/index.ts'
import type { TestOptions } from '../test.ts'
import type { TestRun } from './document.ts'
import { openOldProjects } from './old-projects.ts'
import { createTestRunner } from './test-runner.ts'

/**
 * Runs the tests of a run once more, on their projects as a version in git has them, and compares. The tests themselves are those of now.
 * @throws CallwrightError `usage` where there is no such version, InvalidInput where its files do not pass, named as in that version
 */
export async function compareWithVersion(
  version: string,
  { results }: TestRun,
  options: TestOptions,
  context: Context,
): Promise<TestChange[]> {
  const old = await openOldProjects(
    results.map(({ test }) => test),
    version,
    context,
  )
  try {
    // What that version has not recorded stays so: its files are a copy.
    const settings = { ...options, bail: false, update: false }
    const runner = createTestRunner(settings, context, { folderOf: old.folderOf })
    await runner.prepare(old.tests, old.tests)
    const before = await runner.run(old.tests)
    return compareResults(before.results, results, countWords)
  } catch (error) {
    throw old.renamed(error)
  } finally {
    await old.remove()
  }
}
