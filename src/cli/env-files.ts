import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '../lib/environment.ts'
import { fileError } from '../lib/error.ts'

/**
 * Reads the variables of `--env-file`; later files win. callyard's own variables are skipped and named in `ignored`: the file often
 * comes with a project, and they decide where requests and keys go.
 * @throws CallyardError `usage` for a file that cannot be read
 */
export function readEnvFiles(files: readonly string[], cwd: string) {
  const variables: Record<string, string | undefined> = {}
  for (const file of files) {
    try {
      Object.assign(variables, parseEnv(readFileSync(resolve(cwd, file), 'utf8')))
    } catch (error) {
      throw fileError(`cannot read --env-file ${file}`, error)
    }
  }
  const ignored = Object.keys(variables)
    .filter(name => /^callyard_/i.test(name))
    .sort()
  for (const name of ignored) delete variables[name]
  return { variables: variables satisfies Environment, ignored }
}
