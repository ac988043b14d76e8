import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { decodeText, plainText, type TextError } from '../../files/text/index.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError, describeFileError } from '../../lib/error.ts'

/**
 * Reads the variables of `--env-file`; later files win. callyard's own variables are skipped and named in `ignored`: the file often
 * comes with a project, and they decide where requests and keys go. `problems` say which lines are not read as they are written.
 * @throws CallyardError `invalid` for a file that cannot be read
 */
export function readEnvFiles(files: readonly string[], cwd: string) {
  const variables: Record<string, string | undefined> = {}
  const problems: string[] = []
  for (const file of files) {
    try {
      const decoded = decodeText(readFileSync(resolve(cwd, file)))
      if ('error' in decoded) throw new Error(describe(decoded.error))
      const report = (line: number, problem: string) => problems.push(`${file}:${line} ${problem}`)
      Object.assign(variables, parseEnv(checkedLines(plainText(decoded.text), report)))
    } catch (error) {
      throw new CallyardError('invalid', `cannot read --env-file ${file}: ${describeFileError(error)}`, {
        cause: error,
      })
    }
  }
  const ignored = Object.keys(variables)
    .filter(name => /^callyard_/i.test(name))
    .sort()
  for (const name of ignored) delete variables[name]
  return { variables: variables satisfies Environment, ignored, problems }
}

function describe({ message, position }: TextError): string {
  return position === undefined ? message : `line ${position.line}, column ${position.column}: ${message}`
}

/**
 * Returns the lines as parseEnv reads them by its documentation, and reports what is not read as it is written. A line that is not
 * NAME=value is emptied, because parseEnv would take it for a part of the next name.
 */
function checkedLines(text: string, report: (line: number, problem: string) => void): string {
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index += 1) {
    // Files that were joined have byte order marks inside, which are white space here, and part of a name for parseEnv.
    // So are no-break spaces around the `=`.
    const line = (lines[index] ?? '')
      .replace(/^\s*(?:export\s+(?!=))?/, '')
      .replace(/^([^=#]*?)\s*=\s*/, '$1=')
    lines[index] = line
    if (/^(#|$)/.test(line)) continue
    const [assignment, name = '', quote, rest = ''] = /^([^=#]*?)\s*=\s*(?:(["'`])(.*))?/.exec(line) ?? []
    if (assignment === undefined || /^$|\s/.test(name)) {
      report(index + 1, 'is not NAME=value')
      lines[index] = ''
      continue
    }
    if (!/^[A-Za-z_]\w*$/.test(name))
      report(index + 1, `has the name ${name}, which \${env:…} cannot refer to; use letters, digits and _`)
    if (quote === undefined) continue
    const end = rest.includes(quote)
      ? index
      : lines.findIndex((each, at) => at > index && each.includes(quote))
    if (end === -1) {
      report(index + 1, 'has an unterminated quote, which is read as part of the value')
      continue
    }
    const last = end === index ? rest : (lines[end] ?? '')
    if (!/^\s*(?:#|$)/.test(last.slice(last.indexOf(quote) + 1)))
      report(end + 1, 'has text after a closing quote, which is ignored')
    index = end
  }
  return lines.join('\n')
}
