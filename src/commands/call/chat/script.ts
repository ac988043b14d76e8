import { resolve } from 'node:path'
import type { Context } from '../../../cli/context.ts'
import { type CallerTurn, parseCallerLine } from '../../../sandbox/index.ts'
import { type Diagnostic, displayName, InvalidInput, readText } from '../../../source/index.ts'

/**
 * The turns of a caller's script, one per line; blank lines are none.
 * @throws InvalidInput with every line that cannot be understood, or what is wrong with the file
 */
export async function readScript(file: string, { cwd }: Pick<Context, 'cwd'>): Promise<CallerTurn[]> {
  const path = resolve(cwd, file)
  const about = { severity: 'error', path: [], at: 'value', file: displayName(path, cwd) } as const
  const read = await readText(path)
  if (!('text' in read)) throw new InvalidInput([{ ...about, ...read.error }])
  const turns: CallerTurn[] = []
  const diagnostics: Diagnostic[] = []
  for (const [index, line] of read.text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue
    const parsed = parseCallerLine(line)
    if ('turn' in parsed) turns.push(parsed.turn)
    else {
      const { problem: message, hint } = parsed
      const position = { line: index + 1, column: line.search(/\S/) + 1 }
      diagnostics.push({ ...about, code: 'not-allowed', message, hint, position })
    }
  }
  if (diagnostics.length > 0) throw new InvalidInput(diagnostics)
  return turns
}
