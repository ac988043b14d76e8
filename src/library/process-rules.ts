import type { FileRules } from '../files/source/index.ts'

/** Rules for files read in the importing process: they may read its environment, and paths are relative to its working directory. */
export function processRules({
  cwd = process.cwd(),
  env = process.env,
}: {
  readonly cwd?: string | undefined
  readonly env?: FileRules['env'] | undefined
}): FileRules {
  return { cwd, env, uid: process.getuid?.() }
}
