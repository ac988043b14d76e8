import { resolve } from 'node:path'
import { type CallerTurn, parseCallerLine } from '../../../../files/formats/caller-script.ts'
import { type Diagnostic, displayName, InvalidInput, readText } from '../../../../files/source/index.ts'
import { plainText } from '../../../../files/text/index.ts'
import { didYouMean, meantHint } from '../../../../lib/text/did-you-mean.ts'

/** Parsed line of the caller. */
export type ChatLine =
  | { readonly kind: 'turn'; readonly turn: CallerTurn }
  | { readonly kind: 'restart' | 'vars' | 'help' }
  | { readonly kind: 'save-test'; readonly name: string }
  | { readonly kind: 'problem'; readonly problem: string; readonly hint?: string | undefined }

/** Every command of a chat and what it does, in the order of /help. */
export const chatCommands = {
  '/hangup': 'hang up',
  '/say-nothing 10': 'say nothing for ten seconds',
  '/interrupt text': 'say it while the assistant speaks',
  '/keys 12#': 'press keys',
  '/restart': 'hang up, read the files again, and place a new call',
  '/save-test name': 'write the test of this call into tests/ of the project',
  '/vars': 'list the variables that are set, and those that are not',
  '/help': 'list these commands',
} as const

const names = Object.keys(chatCommands).map(command => command.split(' ')[0] ?? command)

/** Undefined for a line with nothing in it. */
export function readChatLine(line: string): ChatLine | undefined {
  const [word = '', ...more] = line.trim().split(/\s+/)
  if (word === '') return undefined
  const alone = (['restart', 'vars', 'help'] as const).find(kind => word === `/${kind}`)
  if (alone !== undefined) {
    if (more.length === 0) return { kind: alone }
    return { kind: 'problem', problem: `${word} takes no text`, hint: `write ${word}` }
  }
  if (word === '/save-test') {
    const name = more.join(' ').replace(/\.test(\.ya?ml)?$/i, '')
    if (/^[\p{L}\p{N}][\p{L}\p{N}_-]*(\/[\p{L}\p{N}][\p{L}\p{N}_-]*)*$/u.test(name))
      return { kind: 'save-test', name }
    const problem =
      name === '' ? '/save-test needs a name' : `${JSON.stringify(name)} is not a valid name for a test`
    return { kind: 'problem', problem, hint: 'use letters, digits, - and _, as in /save-test opening-hours' }
  }
  if (word.startsWith('/') && !word.startsWith('//') && !names.includes(word)) {
    const hint = meantHint(didYouMean(word, names)) ?? '/help lists them'
    return { kind: 'problem', problem: `unknown command ${word}`, hint }
  }
  const parsed = parseCallerLine(line)
  return 'turn' in parsed ? { kind: 'turn', ...parsed } : { kind: 'problem', ...parsed }
}

/** Returns the commands that start with a line, for Tab. */
export function completeChatCommand(line: string): string[] {
  return line.startsWith('/') ? names.filter(name => name.startsWith(line)) : []
}

/**
 * Parses the turns of a caller's script, one per line, without blank lines.
 * @throws InvalidInput with every invalid line, or the file's error
 */
export async function readScript(file: string, { cwd }: { readonly cwd: string }): Promise<CallerTurn[]> {
  const path = resolve(cwd, file)
  const about = { severity: 'error', path: [], at: 'value', file: displayName(path, cwd) } as const
  const read = await readText(path)
  if (!('text' in read)) throw new InvalidInput([{ ...about, ...read.error }])
  const turns: CallerTurn[] = []
  const diagnostics: Diagnostic[] = []
  const lines = plainText(read.text).split('\n')
  for (const [index, line] of lines.entries()) {
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
