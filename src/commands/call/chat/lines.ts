import { didYouMean } from '../../../lib/text/did-you-mean.ts'
import { type CallerTurn, parseCallerLine } from '../../../sandbox/index.ts'
import { chatCommands } from './commands.ts'

/** What a line of the caller asks for. */
export type ChatLine =
  | { readonly kind: 'turn'; readonly turn: CallerTurn }
  | { readonly kind: 'restart' | 'vars' | 'help' }
  | { readonly kind: 'problem'; readonly problem: string; readonly hint?: string | undefined }

const names = Object.keys(chatCommands).map(command => command.split(' ')[0] ?? command)

/** Undefined for a line with nothing in it. */
export function readChatLine(line: string): ChatLine | undefined {
  const [word = '', ...more] = line.trim().split(/\s+/)
  if (word === '') return undefined
  if (word === '/restart' || word === '/vars' || word === '/help') {
    return more.length === 0
      ? { kind: word === '/restart' ? 'restart' : word === '/vars' ? 'vars' : 'help' }
      : { kind: 'problem', problem: `${word} stands alone`, hint: `write ${word}` }
  }
  if (word.startsWith('/') && !word.startsWith('//') && !names.includes(word)) {
    const meant = didYouMean(word, names)
    return {
      kind: 'problem',
      problem: `${word} is no command`,
      hint: meant === undefined ? '/help lists them' : `did you mean ${meant}?`,
    }
  }
  const parsed = parseCallerLine(line)
  return 'turn' in parsed
    ? { kind: 'turn', turn: parsed.turn }
    : { kind: 'problem', problem: parsed.problem, hint: parsed.hint }
}

/** What Tab makes of a line: the commands that begin so. */
export function completeCommand(line: string): string[] {
  return line.startsWith('/') ? names.filter(name => name.startsWith(line)) : []
}
