import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { starterProject } from '../../../src/commands/starter-project.ts'
import { loadTests } from '../../../src/scenario/index.ts'
import type { LoadTestsOptions } from '../../../src/scenario/load/load-tests.ts'

/** The starter project with these files in place of its tests. */
export async function projectWith(files: Readonly<Record<string, string>>) {
  const cwd = await mkdtemp(join(tmpdir(), 'callyard-tests-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const starter = Object.entries(starterProject()).filter(([name]) => !/^(tests|ci|schemas)\//.test(name))
  for (const [name, text] of [...starter, ...Object.entries(files)]) {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), text)
  }
  return {
    cwd,
    load: (paths: readonly string[], options: Partial<LoadTestsOptions> = {}) =>
      loadTests(paths, { cwd, env: {}, vocabulary: {}, ...options }),
  }
}
