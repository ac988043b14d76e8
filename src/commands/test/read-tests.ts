import { dirname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { wordedFindings } from '../../cli/messages/with-words.ts'
import { formatFinding } from '../../cli/render/diagnostics.ts'
import { CallwrightError } from '../../lib/error.ts'
import { loadTests, type TestCase } from '../../scenario/index.ts'
import { type Diagnostic, InvalidInput, projectFileName } from '../../source/index.ts'
import type { TestOptions } from '../test.ts'

/** The tests of files. */
export interface ReadTests {
  readonly tests: readonly TestCase[]
  readonly files: readonly TestFile[]
  readonly warnings: readonly Diagnostic[]
}

/** What did not happen where a file does not pass. */
export const nothingRan = 'no test ran'

interface TestFile {
  /** Absolute. */
  readonly path: string
  /** What it includes, and takes its rows from; absolute. */
  readonly uses: readonly string[]
}

/** Shows the warnings about the files of tests. */
export async function warnOfTests(warnings: readonly Diagnostic[], { output }: Context): Promise<void> {
  for (const warning of await wordedFindings(warnings)) output.warn(formatFinding(warning), warning.hint)
}

/**
 * Reads the tests that paths name, or those of the project around the folder; --repeat and --pass win over what they say.
 * @throws InvalidInput with the findings of all files when one does not pass, CallwrightError `invalid` where no path is given and no project
 * is there
 */
export async function readTests(
  paths: readonly string[],
  { repeat: times, pass = times }: Pick<TestOptions, 'repeat' | 'pass'>,
  context: Context,
): Promise<ReadTests> {
  const { project, vocabulary } = await context.settings()
  if (paths.length === 0 && project === undefined) {
    throw new CallwrightError(
      'invalid',
      `there is no ${projectFileName} here, nor above: no project to test`,
      {
        hint: 'name test files or a folder: callwright test .; callwright init makes a project',
      },
    )
  }
  const named = project === undefined || paths.length > 0 ? paths : [dirname(project.file)]
  const { tests, files, diagnostics } = await loadTests(named, {
    ...context.files,
    vocabulary: vocabulary.value,
    signal: context.signal,
  })
  if (diagnostics.some(({ severity }) => severity === 'error'))
    throw new InvalidInput(diagnostics, nothingRan)
  for (const { checked } of files) context.willSend(checked)
  const repeat = times === undefined || pass === undefined ? undefined : { times, pass }
  return {
    tests: repeat === undefined ? tests : tests.map(test => ({ ...test, repeat })),
    files: files.map(({ checked, uses }) => ({ path: checked.source.path, uses })),
    warnings: diagnostics,
  }
}
