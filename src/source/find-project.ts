import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Environment } from '../context.ts'

/** The file that makes a folder a project. */
export const projectFileName = 'callwright.yaml'

/** The nearest callwright.yaml, from a folder upwards to that of the repository or the home folder; undefined without one. */
export async function findProjectFile(folder: string, env: Environment): Promise<string | undefined> {
  const file = join(folder, projectFileName)
  const found = await stat(file).then(
    stats => stats.isFile(),
    () => false,
  )
  if (found) return file
  const parent = dirname(folder)
  if (parent === folder || [env.HOME, env.USERPROFILE, homedir()].includes(folder)) return undefined
  // A folder, or a file in a worktree and a submodule.
  const isRepository = await stat(join(folder, '.git')).then(
    () => true,
    () => false,
  )
  return isRepository ? undefined : findProjectFile(parent, env)
}
