import type { Context } from '../../cli/context.ts'
import { compareResults, countWords, type TestCase, type TestChange } from '../../scenario/index.ts'
import type { TestOptions } from '../test.ts'
import type { TestRun } from './document.ts'
import { openOldProjects } from './old-projects.ts'
import { createTestRunner } from './test-runner.ts'

/** The projects of tests as a version in git has them, ready to be run. */
export interface OldVersion {
  /** Runs the same tests there, and compares what they came to. */
  compare(run: TestRun): Promise<TestChange[]>
  /** Never rejects. */
  close(): Promise<void>
}

/**
 * Comes before the tests are run: what cannot be compared is known at once. The tests themselves are those of now.
 * @throws CallwrightError `usage` where there is no such version, InvalidInput where its files do not pass, named as in that version
 */
export async function openOldVersion(
  version: string,
  tests: readonly TestCase[],
  options: TestOptions,
  context: Context,
): Promise<OldVersion> {
  const old = await openOldProjects(tests, version, context)
  // What that version has not recorded stays so: its files are a copy.
  const settings = { ...options, bail: false, update: false }
  const runner = createTestRunner(settings, context, { folderOf: old.folderOf })
  try {
    await runner.prepare(old.tests, old.tests)
  } catch (error) {
    await old.remove()
    throw old.renamed(error)
  }
  return {
    async compare({ results }) {
      const { results: before } = await runner.run(old.tests)
      return compareResults(before, results, countWords)
    },
    close: old.remove,
  }
}
