import { starterProject } from '../../../src/commands/starter-project.ts'
import { loadTests } from '../../../src/scenario/index.ts'
import { folderOf } from '../../project/project-on-disk.ts'

/** The starter project with these files in place of its tests. */
export async function projectWith(files: Readonly<Record<string, string>>) {
  const starter = Object.entries(starterProject()).filter(([name]) => !/^(tests|ci|schemas)\//.test(name))
  const cwd = await folderOf({ ...Object.fromEntries(starter), ...files })
  return {
    cwd,
    load: (paths: readonly string[], options: Partial<Parameters<typeof loadTests>[1]> = {}) =>
      loadTests(paths, { cwd, env: {}, vocabulary: {}, ...options }),
  }
}
