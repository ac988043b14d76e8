import type { CallyardError, CommandWords } from '../../../lib/error.ts'
import { commandLine } from '../../shell/advice.ts'
import { declared, effectOf } from '../../shell/cli-command.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames } from '../../shell/help-topics.ts'
import { hasAction } from './command-help.ts'

/**
 * Returns the complete commands among those that an error suggests. A program may run them unread, so each word is a command, flag or
 * choice of callyard, or a word of this command line; text of a service or a file is never part of one. In place of a command that
 * is left to a person, or that lacks a value, its help is suggested.
 */
export async function nextCommands(
  { next }: CallyardError,
  root: AnyCommand,
  argv: readonly string[],
): Promise<string[]> {
  const typed = new Set(argv.flatMap(word => [word, word.replace(/^--[\w-]+=/, '')]))
  const commandLines: string[] = []
  for (const words of next) {
    const command = await safeCommand(words, root, typed)
    if (command !== undefined) commandLines.push(commandLine(command))
  }
  return [...new Set(commandLines)].slice(0, maxCommands)
}

const maxCommands = 5

/** The command that the words begin with, or its help; undefined if they begin with none. */
async function safeCommand(
  words: readonly string[],
  root: AnyCommand,
  typed: ReadonlySet<string>,
): Promise<CommandWords | undefined> {
  let command = root
  let depth = 0
  for (; depth < words.length; depth++) {
    await declared(command)
    const next = command.createHelp().visibleCommands(command)
    const child = next.find(candidate => candidate.name() === words[depth])
    if (child === undefined) break
    command = child
  }
  if (command === root) return undefined
  await declared(command)
  const path = words.slice(0, depth)
  const rest = words.slice(depth)
  if (command.name() === 'help') return topicHelp(rest[0])
  const help = ['help', ...path]
  if (!hasAction(command) || effectOf(command) !== 'none') return help
  const completedWords = completeWords(rest, command, root, typed)
  return completedWords === undefined ? help : [...path, ...completedWords]
}

function topicHelp(word: string | undefined): CommandWords | undefined {
  return word !== undefined && ['topics', ...topicNames].includes(word) ? ['help', word] : undefined
}

/** Arguments and flags of the command; undefined if one is not known or missing. */
function completeWords(
  words: readonly string[],
  { options, registeredArguments }: AnyCommand,
  root: AnyCommand,
  typed: ReadonlySet<string>,
): readonly string[] | undefined {
  const completedWords: string[] = []
  let argumentCount = 0
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const flag = [...options, ...root.options].find(({ long, short }) => word === long || word === short)
    const argument = registeredArguments[Math.min(argumentCount, registeredArguments.length - 1)]
    const isAllowed = (value: string, choices: readonly string[] = []) =>
      typed.has(value) || choices.includes(value)
    if (flag !== undefined) {
      completedWords.push(word)
      if (!flag.required) continue
      const value = words[++index]
      if (value === undefined || !isAllowed(value, flag.argChoices)) return undefined
      completedWords.push(value)
    } else if (argument !== undefined && (word === '.' || isAllowed(word, argument.argChoices))) {
      completedWords.push(word)
      argumentCount++
    } else return undefined
  }
  return argumentCount < registeredArguments.filter(({ required }) => required).length
    ? undefined
    : completedWords
}
