import { dirname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { loadTests, type TestCase } from '../../scenario/index.ts'
import { InvalidInput } from '../../source/index.ts'
import { warnOf } from '../project/in-project.ts'
import type { TestOptions } from '../test.ts'

/** The tests of files. */
export interface ReadTests {
  readonly tests: readonly TestCase[]
  readonly files: readonly TestFile[]
}

interface TestFile {
  /** Absolute. */
  readonly path: string
  /** What it includes, and takes its rows from; absolute. */
  readonly uses: readonly string[]
}

/**
 * Reads the tests that paths name, or those of the project around the folder; --repeat and --pass win over what they say. Shows the
 * warnings.
 * @throws InvalidInput with the findings of all files when one does not pass
 */
export async function readTests(
  paths: readonly string[],
  { repeat: times, pass = times }: Pick<TestOptions, 'repeat' | 'pass'>,
  context: Context,
): Promise<ReadTests> {
  const { project, vocabulary } = await context.settings()
  const named = paths.length > 0 ? paths : [project === undefined ? '.' : dirname(project.file)]
  const { tests, files, diagnostics } = await loadTests(named, {
    ...context.files,
    vocabulary: vocabulary.value,
    signal: context.signal,
  })
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new InvalidInput(diagnostics)
  warnOf(diagnostics, context)
  for (const { checked } of files) context.willSend(checked)
  const repeat = times === undefined || pass === undefined ? undefined : { times, pass }
  return {
    tests: repeat === undefined ? tests : tests.map(test => ({ ...test, repeat })),
    files: files.map(({ checked, uses }) => ({ path: checked.source.path, uses })),
  }
}
