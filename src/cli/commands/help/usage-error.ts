import type { CommanderError } from '@commander-js/extra-typings'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { didYouMean, meantHint, typingError } from '../../../lib/text/did-you-mean.ts'
import { type Advice, commandLine, suggest } from '../../shell/advice.ts'
import { CliCommand } from '../../shell/cli-command.ts'
import { type AnyCommand, Flag } from '../../shell/flags/flag.ts'
import { OutFlag, type OutputFormat } from '../../shell/flags/out-flag.ts'
import { entryOf, loadCommandTable } from '../completion/load-table.ts'
import type { CommandEntry } from '../completion/read-table.ts'
import { findCommand, getCommandPath, usageLine } from './command-help.ts'
import { otherWords } from './other-words.ts'

/** Adds the usage line and an example to a usage error of commander, or to one whose details list what is `missing`. */
export async function usageError(
  thrown: CommanderError | CallyardError,
  root: AnyCommand,
  argv: readonly string[],
): Promise<CallyardError> {
  const { command, unknown } = await findCommand(root, argv)
  const example = command instanceof CliCommand ? command.examples[0] : undefined
  const usage = { usage: usageLine(command), ...(example !== undefined && { example }) }
  const next = [wordsOf(command)]
  if (thrown instanceof CallyardError) {
    const { kind, message, code, hint, details, cause } = thrown
    return new CallyardError(kind, message, {
      ...{ code, hint, cause },
      details: { ...details, ...usage },
      next: [...thrown.next, ...next],
    })
  }
  const refused = (message: string, details = {}) =>
    new CallyardError('usage', message, { details: { ...details, ...usage }, next })
  const { code, message } = thrown
  const name = /'(.*?)'/.exec(message)?.[1] ?? message
  const table = await loadCommandTable(root)
  if (code === 'commander.unknownCommand' && unknown !== undefined)
    return unknownCommand(command, unknown, { table })
  if (code === 'commander.help')
    return new CallyardError('usage', `${getCommandPath(command)} needs a command: ${list(namesIn(command))}`)
  if (code === 'commander.unknownOption') return unknownFlag(command, name, table)
  if (code === 'commander.missingArgument') return refused(`<${name}> is missing`, { missing: [`<${name}>`] })
  if (code === 'commander.optionMissingArgument')
    return refused(`${name.split(' ')[0]} needs a value: ${name}`)
  if (code === 'commander.excessArguments') {
    const most = command.registeredArguments.length
    const takes = most === 0 ? 'no argument' : most === 1 ? 'one argument' : count(most, 'argument')
    return refused(`${getCommandPath(command)} takes ${takes}`)
  }
  return (
    badValue(message, command) ??
    new CallyardError('usage', message.replace(/^error: /, ''), {
      ...suggest`see ${[...wordsOf(command), '--help']}`,
    })
  )
}

/**
 * Returns the error for an unknown command. A command is suggested only for a typo, because it may do something other than what was
 * meant. `topics` are passed if help was requested, for a command or a topic.
 */
export function unknownCommand(
  group: AnyCommand,
  word: string,
  { table, topics }: { readonly table: CommandEntry; readonly topics?: readonly string[] | undefined },
): CallyardError {
  const path = [...getCommandPath(group).split(' ').slice(1), word].join(' ')
  const suggestion = otherWords.get(path)
  if (suggestion !== undefined) return new CallyardError('usage', suggestion.message, suggestion)
  const subject = topics === undefined ? 'command callyard' : 'command or topic'
  return new CallyardError('usage', `unknown ${subject} ${path}`, {
    ...insteadOf(word, group, entryOf(group, table)?.commands ?? [], topics),
  })
}

function insteadOf(
  word: string,
  group: AnyCommand,
  nouns: readonly CommandEntry[],
  topics: readonly string[] | undefined,
): Advice {
  const verbs = nouns.filter(noun => noun.commands.some(verb => verb.value === word))
  if (verbs.length > 0) {
    const next = verbs.map(noun => [...wordsOf(group), noun.value, word])
    return { hint: `say what to ${word}: ${list(next.map(commandLine))}`, next }
  }
  const names = namesIn(group)
  const isRoot = group.parent === null
  const suggestion = typingError(word, [...names, ...((isRoot && topics) || [])])
  const start = [...(topics === undefined ? [] : ['help']), ...wordsOf(group)]
  if (suggestion !== undefined) return suggest`did you mean ${[...start, suggestion]}?`
  if (isRoot) return suggest`${['--help']} lists the commands, ${['help', 'topics']} the topics`
  const size = names.length === 1 ? 'command' : 'commands'
  return suggest`${wordsOf(group)} has the ${size} ${list(names, 'conjunction')}`
}

function namesIn(group: AnyCommand): string[] {
  return group
    .createHelp()
    .visibleCommands(group)
    .map(command => command.name())
}

/** `--port cannot be "abc"`, with what the parser of the value says. */
function badValue(message: string, command: AnyCommand): CallyardError | undefined {
  const option = /^error: option '(\S+)[^']*' argument '(.*)' is invalid\. (.*)$/s.exec(message)
  const argument = /^error: command-argument value '(.*)' is invalid for argument '(.*?)'\. (.*)$/s.exec(
    message,
  )
  const [name, value = '', reason = ''] =
    option?.slice(1) ?? (argument === null ? [] : [`<${argument[2]}>`, argument[1], argument[3]])
  if (name === undefined) return undefined
  // A value that may be a secret is not shown.
  if (takesSecret(name, command))
    return new CallyardError('usage', `invalid value for ${name}`, { hint: reason })
  const choices = /^Allowed choices are (.*)\.$/.exec(reason)?.[1]
  const suggestion = choices === undefined ? undefined : didYouMean(value, choices.split(', '))
  return new CallyardError('usage', `${name} cannot be ${JSON.stringify(value)}`, {
    hint:
      choices === undefined
        ? reason
        : `${suggestion === undefined ? '' : `did you mean ${suggestion}? `}use ${choices.includes(',') ? 'one of ' : ''}${choices}`,
  })
}

function takesSecret(flag: string, { options, parent }: AnyCommand): boolean {
  const option = options.find(({ long }) => long === flag)
  return (option instanceof Flag && option.isSecret) || (parent !== null && takesSecret(flag, parent))
}

/** Flags that other tools have, and what there is instead. */
const otherFlags: Readonly<Record<string, Advice>> = {
  '-v': suggest`for the version: ${['--version']}; to log requests and responses, pass --debug`,
  '--verbose': { hint: 'to log requests and responses, pass --debug' },
  '--api-key': suggest`set CALLYARD_API_KEY, or ${['profile', 'add', '<name>', '--api-key-stdin']}`,
  '--url': { hint: 'the service is chosen with --base-url, or with --profile' },
  '-o': { hint: 'redirect stdout with > to write it to a file' },
  '--output': { hint: 'redirect stdout with > to write it to a file; --json prints JSON' },
  '--format': { hint: '--json prints JSON' },
}

/** Flags of earlier versions that are formats of --out now. */
const outFormats: Readonly<Record<string, OutputFormat | 'any'>> = {
  ...{ '--junit': 'junit', '--sarif': 'sarif', '--html': 'html', '--report': 'html' },
  ...{ '--save': 'any', '--results': 'any' },
}

/** Returns what to write in place of a flag that is a format of --out now. */
function outInstead(command: AnyCommand, flag: string): string | undefined {
  const format = outFormats[flag]
  const formats = command.options.find(option => option instanceof OutFlag)?.formats ?? []
  if (format === undefined || formats.length === 0) return undefined
  if (format === 'any') return '--out FILE'
  return formats.includes(format) ? `--out ${format}:FILE` : undefined
}

function unknownFlag(command: AnyCommand, typed: string, table: CommandEntry): CallyardError {
  const own = longFlags(command)
  const globals = command.parent === null ? [] : longFlags(rootOf(command))
  const [name = typed] = /^--?[A-Za-z][\w-]*/.exec(typed) ?? []
  const writesFile = /^(-o|--output)/.test(name) && own.includes('--out')
  const suggestion =
    outInstead(command, name) ?? (writesFile ? '--out' : typingError(name, [...own, ...globals]))
  // What stuck to the flag may be a key: `--api-key=…`, `-k…`.
  const flag = name.startsWith('--') || (suggestion !== undefined && !writesFile) ? name : name.slice(0, 2)
  const group = command.commands.length > 0 ? command : (command.parent ?? command)
  const groupEntry = entryOf(group, table)
  const owners = groupEntry === undefined ? [] : ownersBelow(groupEntry, flag, getCommandPath(group))
  const argument = command.registeredArguments.find(candidate => `--${candidate.name()}` === flag)
  return new CallyardError(
    'usage',
    `unknown flag ${flag} for ${getCommandPath(command)}`,
    argument !== undefined
      ? suggest`pass it as an argument: ${[...wordsOf(command), `<${argument.name()}>`]}`
      : owners.length > 0 && outInstead(command, name) === undefined
        ? { hint: `${flag} is a flag of ${list(owners, 'conjunction')}` }
        : suggestion !== undefined
          ? { hint: meantHint(suggestion) }
          : (otherFlags[flag] ?? suggest`for its flags: ${[...wordsOf(command), '--help']}`),
  )
}

/** Paths of the commands below a group that have the flag. */
function ownersBelow(group: CommandEntry, flag: string, path: string): string[] {
  return group.commands.flatMap(entry => [
    ...(entry.flags.some(({ names }) => names.includes(flag)) ? [`${path} ${entry.value}`] : []),
    ...ownersBelow(entry, flag, `${path} ${entry.value}`),
  ])
}

/** `['call', 'start']`. */
function wordsOf(command: AnyCommand): readonly string[] {
  return getCommandPath(command).split(' ').slice(1)
}

function longFlags(command: AnyCommand): string[] {
  return command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])))
}

function rootOf(command: AnyCommand): AnyCommand {
  return command.parent === null ? command : rootOf(command.parent)
}

function list(words: readonly string[], type: 'disjunction' | 'conjunction' = 'disjunction'): string {
  return new Intl.ListFormat('en-GB', { type }).format(words)
}
