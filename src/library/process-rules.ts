import type { FileRules } from '../source/index.ts'

/** What files may read of the process that imports the package: the environment, and the working directory as a place to begin. */
export function processRules({
  cwd = process.cwd(),
  env = process.env,
}: {
  readonly cwd?: string | undefined
  readonly env?: FileRules['env'] | undefined
}): FileRules {
  return { cwd, env, uid: process.getuid?.() }
}
