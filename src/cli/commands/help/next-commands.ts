import { InvalidInput } from '../../../files/source/index.ts'
import type { CallyardError } from '../../../lib/error.ts'
import { quoteForShell } from '../../../lib/text/escape.ts'
import { declared, effectOf } from '../../shell/cli-command.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames } from '../../shell/help-topics.ts'
import { getCommandPath, hasAction } from './command-help.ts'

/**
 * Returns complete commands that may help after an error, from its hints and usage line. A program may run them unread, so each word is a
 * command, flag or choice of callyard, or a word of this command line; text of a service or a file is never part of one. In place of
 * a command that is left to a person, or that lacks a value, its help is suggested.
 */
export async function nextCommands(
  error: CallyardError,
  root: AnyCommand,
  argv: readonly string[],
): Promise<string[]> {
  const { hint, details } = error
  const { usage = '', example: _, diagnostics: __, ...facts } = details
  const foreign = JSON.stringify([facts, error.cause instanceof Error ? error.cause.message : ''])
  const typed = new Set(argv.flatMap(word => [word, word.replace(/^--[\w-]+=/, '')]).map(quoteForShell))
  const hints =
    error instanceof InvalidInput ? error.diagnostics.map(finding => finding.hint ?? '') : [hint ?? '']
  const found: string[] = []
  for (const words of [...error.next, ...[...hints, String(usage)].flatMap(mentionedCommands)]) {
    const command = await safeCommand(words, root, typed)
    if (command !== undefined && !foreign.includes(command)) found.push(command)
  }
  return [...new Set(found)].slice(0, maxCommands)
}

const maxCommands = 5

/** Words after each `callyard` of a sentence, up to the end of its clause. */
function mentionedCommands(sentence: string): string[][] {
  return [...sentence.matchAll(/\bcallyard((?: (?:'[^']*'|[^\s;`()]+))+)/g)].map(([, words = '']) => {
    const tokens = words.match(/'[^']*'|\S+/g) ?? []
    const last = tokens.findIndex(token => /[,.:?]$/.test(token) && token !== '.')
    return tokens.slice(0, last === -1 ? undefined : last + 1).map(withoutPunctuation)
  })
}

function withoutPunctuation(token: string): string {
  return token === '.' ? token : token.replace(/[,.:?]+$/, '')
}

/** Words that continue a sentence after a command. */
const conjunctions = ['again', 'and', 'for', 'if', 'lists', 'or', 'the', 'then', 'to', 'with']

/** The command that the words begin with, or its help; undefined if they begin with none. */
async function safeCommand(
  words: readonly string[],
  root: AnyCommand,
  typed: ReadonlySet<string>,
): Promise<string | undefined> {
  let command = root
  let depth = 0
  for (; depth < words.length; depth++) {
    await declared(command)
    const next = command.createHelp().visibleCommands(command)
    const child = next.find(each => each.name() === words[depth])
    if (child === undefined) break
    command = child
  }
  if (command === root) return undefined
  await declared(command)
  const path = getCommandPath(command)
  const rest = words.slice(depth)
  if (path === 'callyard help') return topicHelp(rest[0])
  const help = path.replace('callyard', 'callyard help')
  if (!hasAction(command) || effectOf(command) !== 'none') return help
  const given = completeWords(rest, command, root, typed)
  return given === undefined ? help : [path, ...given].join(' ')
}

function topicHelp(word: string | undefined): string | undefined {
  return ['topics', ...topicNames].find(topic => topic === word)?.replace(/^/, 'callyard help ')
}

/** Arguments and flags of the command; undefined if one is not known or missing. */
function completeWords(
  words: readonly string[],
  { options, registeredArguments }: AnyCommand,
  root: AnyCommand,
  typed: ReadonlySet<string>,
): readonly string[] | undefined {
  const given: string[] = []
  let places = 0
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const flag = [...options, ...root.options].find(({ long, short }) => word === long || word === short)
    const argument = registeredArguments[Math.min(places, registeredArguments.length - 1)]
    const isAllowed = (value: string, choices: readonly string[] = []) =>
      typed.has(value) || choices.includes(value)
    if (flag !== undefined) {
      given.push(word)
      if (!flag.required) continue
      const value = words[++index]
      if (value === undefined || !isAllowed(value, flag.argChoices)) return undefined
      given.push(value)
    } else if (argument !== undefined && (word === '.' || isAllowed(word, argument.argChoices))) {
      given.push(word)
      places++
    } else if (conjunctions.includes(word)) break
    else return undefined
  }
  return places < registeredArguments.filter(({ required }) => required).length ? undefined : given
}
