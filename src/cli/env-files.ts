import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { decodeText, plainText, type TextError } from '../files/index.ts'
import type { Environment } from '../lib/environment.ts'
import { fileError } from '../lib/error.ts'

/**
 * Reads the variables of `--env-file`; later files win. callyard's own variables are skipped and named in `ignored`: the file often
 * comes with a project, and they decide where requests and keys go. `stray` are the lines that are not NAME=value.
 * @throws CallyardError `usage` for a file that cannot be read
 */
export function readEnvFiles(files: readonly string[], cwd: string) {
  const variables: Record<string, string | undefined> = {}
  const stray: string[] = []
  for (const file of files) {
    try {
      const decoded = decodeText(readFileSync(resolve(cwd, file)))
      if ('error' in decoded) throw new Error(describe(decoded.error))
      Object.assign(
        variables,
        parseEnv(withoutStrayLines(plainText(decoded.text), line => stray.push(`${file}:${line}`))),
      )
    } catch (error) {
      throw fileError(`cannot read --env-file ${file}`, error)
    }
  }
  const ignored = Object.keys(variables)
    .filter(name => /^callyard_/i.test(name))
    .sort()
  for (const name of ignored) delete variables[name]
  return { variables: variables satisfies Environment, ignored, stray }
}

function describe({ message, position }: TextError): string {
  return position === undefined ? message : `line ${position.line}, column ${position.column}: ${message}`
}

/** Empties lines that are not NAME=value, because parseEnv would take one for the name of the next variable, and reports their numbers. */
function withoutStrayLines(text: string, report: (line: number) => void): string {
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (/^\s*(#|$)/.test(line)) continue
    const [assignment, quote, rest = ''] =
      /^\s*(?:export\s+)?[^\s=#]+\s*=\s*(?:(["'`])(.*))?/.exec(line) ?? []
    if (assignment === undefined) {
      report(index + 1)
      lines[index] = ''
    } else if (quote !== undefined && !rest.includes(quote)) {
      const end = lines.findIndex((other, at) => at > index && other.includes(quote))
      if (end !== -1) index = end
    }
  }
  return lines.join('\n')
}
