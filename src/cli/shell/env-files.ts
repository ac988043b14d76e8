import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { type Diagnostic, InvalidInput } from '../../files/source/index.ts'
import { decodeText, type Position, plainText } from '../../files/text/index.ts'
import { valueError } from '../../interface/finding.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError, describeFileError } from '../../lib/error.ts'

/** The variables, and what to say about the files. */
export interface EnvFromFiles {
  readonly variables: Environment
  readonly ignored: readonly string[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Reads the variables of `--env-file`; later files win. callyard's own variables are skipped and named in `ignored`: the file often
 * comes with a project, and they decide where requests and keys go. `warnings` say what is not read as it is written.
 * @throws CallyardError `invalid` for a file that cannot be read
 */
export function readEnvFiles(files: readonly string[], cwd: string): EnvFromFiles {
  const variables: Record<string, string | undefined> = {}
  const warnings: Diagnostic[] = []
  for (const file of files) {
    const decoded = decodeText(readBytes(file, cwd))
    if ('error' in decoded) {
      const { code, message, hint, position } = decoded.error
      throw new InvalidInput([{ ...valueError([], code, message, hint), file, position }])
    }
    const warn: Warn = (position, code, message, hint) =>
      warnings.push({ ...valueError([], code, message, hint), severity: 'warning', file, position })
    Object.assign(variables, parseEnv(checkedLines(plainText(decoded.text), warn)))
  }
  const ignored = Object.keys(variables)
    .filter(name => /^callyard_/i.test(name))
    .sort()
  for (const name of ignored) delete variables[name]
  return { variables, ignored, warnings }
}

function readBytes(file: string, cwd: string): Buffer {
  try {
    return readFileSync(resolve(cwd, file))
  } catch (error) {
    throw new CallyardError('invalid', `cannot read --env-file ${file}: ${describeFileError(error)}`, {
      hint: 'check the path and the permissions of the file',
      cause: error,
    })
  }
}

type Warn = (position: Position, code: string, message: string, hint: string) => void

/**
 * Returns the lines as parseEnv reads them by its documentation, and warns about what is not read as it is written. A line that is not
 * NAME=value is emptied, because parseEnv would take it for a part of the next name.
 */
function checkedLines(text: string, warn: Warn): string {
  const written = text.split('\n')
  const lines = [...written]
  for (let index = 0; index < lines.length; index += 1) {
    // Files that were joined have byte order marks inside, which are white space here, and part of a name for parseEnv.
    // So are no-break spaces around the `=`.
    const line = (lines[index] ?? '')
      .replace(/^\s*(?:export\s+(?!=))?/, '')
      .replace(/^([^=#]*?)\s*=\s*/, '$1=')
    lines[index] = line
    if (/^(#|$)/.test(line)) continue
    const [assignment, name = '', quote, rest = ''] = /^([^=#]*?)\s*=\s*(?:(["'`])(.*))?/.exec(line) ?? []
    const positionOf = (part: string) => ({
      line: index + 1,
      column: Math.max(0, written[index]?.indexOf(part) ?? 0) + 1,
    })
    if (assignment === undefined || /^$|\s/.test(name)) {
      warn(
        positionOf(line),
        'not-a-variable',
        'not NAME=value; skipped',
        'write NAME=value, or remove the line',
      )
      lines[index] = ''
      continue
    }
    if (!/^[A-Za-z_]\w*$/.test(name))
      warn(
        positionOf(name),
        'variable-name',
        `\${env:…} cannot refer to the name ${name}`,
        'use letters, digits and _',
      )
    if (quote === undefined) continue
    const end = rest.includes(quote)
      ? index
      : lines.findIndex((otherLine, at) => at > index && otherLine.includes(quote))
    if (end === -1) {
      warn(
        positionOf(quote),
        'open-quote',
        'unterminated quote, which is read as part of the value',
        'close the quote, or remove it',
      )
      continue
    }
    const last = end === index ? rest : (lines[end] ?? '')
    const after = last.slice(last.indexOf(quote) + 1)
    if (!/^\s*(?:#|$)/.test(after))
      warn(
        { line: end + 1, column: (written[end] ?? '').length - after.length + 1 },
        'text-after-quote',
        'text after a closing quote is ignored',
        'remove it, or put it inside the quotes',
      )
    index = end
  }
  return lines.join('\n')
}
