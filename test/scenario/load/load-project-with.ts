import { loadTests } from '../../../src/scenario/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { starterFiles } from '../../helpers/resources.ts'

/** The starter project with these files in place of its tests. */
export async function projectWith(files: Readonly<Record<string, string | Buffer>>) {
  const cwd = await temporaryFolder({ ...starterFiles('tests', 'ci', 'schemas'), ...files })
  return {
    cwd,
    load: (paths: readonly string[], options: Partial<Parameters<typeof loadTests>[1]> = {}) =>
      loadTests(paths, { cwd, env: {}, vocabulary: {}, ...options }),
  }
}
