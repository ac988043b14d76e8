import type { Option } from '@commander-js/extra-typings'
import { declared } from '../../cli/cli-command.ts'
import type { Context } from '../../cli/context.ts'
import { type AnyCommand, Flag } from '../../cli/flags/flag.ts'
import { topicNames, topics } from '../../cli/help-topics.ts'
import { methods } from '../api.ts'
import { doesItself, pathOf } from '../help/command-help.ts'
import type { ValueSource } from './find-values.ts'
import type { Offer } from './project-values.ts'

interface Completion {
  readonly offers: readonly Offer[]
  /** What the shell itself completes beside the offers. */
  readonly alsoTakes: 'words' | 'files' | 'folders'
  /** More is to be typed after each of the offers: no space follows. */
  readonly isBegun: boolean
}

/** Offered in one go; a shell that lists more is of no use. */
const maxOffers = 1000

/**
 * What the word at the cursor may become after the words before it, from the command tree; for values, from files of this
 * machine. Hidden commands and flags are left out, and flags that are given and take no second value.
 */
export async function complete(
  root: AnyCommand,
  before: readonly string[],
  word: string,
  context: Pick<Context, 'cwd' | 'env' | 'settings'>,
): Promise<Completion> {
  const line = await readLine(root, before)
  const { pending, isLiteral, position, command, group } = line
  if (pending !== undefined && !isNext(pending, word)) return values(flagValue(pending), word)
  if (!isLiteral && word.startsWith('-')) {
    const [, prefix = '', flag = '', value = ''] = /^((--[^=]+)=)(.*)$/s.exec(word) ?? []
    if (prefix === '') return pick(flagsAfter(line), word)
    const option = optionNamed(flag, command)
    return option === undefined ? pick([], word) : values(flagValue(option), value, prefix)
  }
  const commands = position === 0 ? subcommandsOf(line) : []
  await Promise.all(commands.map(each => declared(each)))
  const offers = [...commands.map(named), ...topicsOf(command, group)]
  if (offers.length > 0 && !doesItself(group)) return pick(offers, word)
  const places = command.registeredArguments
  const place = places[position] ?? places.findLast(({ variadic }) => variadic)
  if (place === undefined) return pick(isLiteral ? [] : flagsAfter(line), word)
  const names = [...pathOf(command).split(' ').slice(1), place.name()]
  return values(valueAt(names.join(' '), place.name(), place), word, '', offers)

  async function values(
    value: Value,
    begun: string,
    prefix = '',
    beside: readonly Offer[] = [],
  ): Promise<Completion> {
    const { source, choices = [], alsoTakes = 'words' } = value
    const found =
      source === undefined
        ? choices.map(choice => ({ value: choice }))
        : await (await import('./find-values.ts')).findValues(source, begun, context)
    return { ...pick([...beside, ...found], begun, prefix), alsoTakes }
  }
}

type Line = Awaited<ReturnType<typeof readLine>>

async function readLine(root: AnyCommand, words: readonly string[]) {
  /** Whose flags and arguments follow. */
  let command = root
  /** Whose subcommands follow: after `help`, those of the command that is looked up. */
  let group = root
  /** Arguments that are there already. */
  let position = 0
  /** After `--`. */
  let isLiteral = false
  /** The flag whose value is the next word. */
  let pending: Option | undefined
  const given: Option[] = []
  for (const word of words) {
    const open = pending
    pending = undefined
    if (open !== undefined && !isNext(open, word)) continue
    if (!isLiteral && word === '--') isLiteral = true
    else if (!isLiteral && word.length > 1 && word.startsWith('-')) {
      const option = optionNamed(word.replace(/=.*$/s, ''), command)
      if (option === undefined) continue
      given.push(option)
      if (takesValue(option) && !word.includes('=')) pending = option
    } else {
      const children = position === 0 ? subcommandsOf({ command, group }) : []
      const child = children.find(subcommand => subcommand.name() === word)
      if (child === undefined) position += 1
      else if (isHelp(command)) group = child
      else {
        command = child
        if (!isHelp(child)) group = child
      }
      await declared(child ?? command)
    }
  }
  return { command, group, position, isLiteral, pending, given }
}

/** Whether a word stands after a flag whose value was left out. */
function isNext(option: Option, word: string): boolean {
  return option.optional && word.startsWith('-')
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

/** `help` is followed by the names of commands. */
function isHelp(command: AnyCommand): boolean {
  return command.name() === 'help' && command.parent?.parent === null
}

function subcommandsOf({ command, group }: Pick<Line, 'command' | 'group'>): AnyCommand[] {
  return group
    .createHelp()
    .visibleCommands(group)
    .filter(child => !(isHelp(command) && isHelp(child)))
}

/** The topic about a command has its name, and is offered as the command. */
function topicsOf(command: AnyCommand, group: AnyCommand): Offer[] {
  if (!isHelp(command) || group.parent !== null) return []
  return [
    { value: 'topics', description: 'List the topics' },
    ...topicNames.map(name => ({ value: name, description: topics[name] })),
  ]
}

/** The command's own flags, then those that every command takes; --version is the root's. */
function optionsOf(command: AnyCommand): Option[] {
  const own = command.createHelp().visibleOptions(command)
  if (command.parent === null) return own
  const inherited = optionsOf(command.parent).filter(
    option => option.long !== '--version' && !own.some(each => each.long === option.long),
  )
  return [...own, ...inherited]
}

function optionNamed(name: string, command: AnyCommand): Option | undefined {
  return optionsOf(command).find(option => namesOf(option).includes(name))
}

function flagsAfter({ command, given }: Line): Offer[] {
  return optionsOf(command)
    .filter(option => !given.includes(option) || (option instanceof Flag && option.isRepeatable))
    .flatMap(option => namesOf(option).map(value => ({ value, description: option.description })))
}

function namesOf({ short, long }: Option): string[] {
  return [short, long].filter(name => name !== undefined)
}

function flagValue(option: Option): Value {
  const placeholder = /[<[](.+)[>\]]$/.exec(option.flags)?.[1]
  if (placeholder === undefined) return {}
  return valueAt(option.long ?? '', placeholder.replace(/\.\.\.$/, ''), option)
}

function named(command: AnyCommand): Offer {
  return { value: command.name(), description: command.summary() || command.description() }
}

/** The offers that the word may become, each once. */
function pick(offers: readonly Offer[], word: string, prefix = ''): Completion {
  const seen = new Set<string>()
  const picked = offers
    .filter(({ value }) => {
      if (!value.startsWith(word) || !isOneLine(value) || seen.has(value)) return false
      seen.add(value)
      return true
    })
    .slice(0, maxOffers)
    .map(({ value, description = '' }) => ({
      value: prefix + value,
      ...(isOneLine(description) ? { description } : {}),
    }))
  return {
    offers: picked,
    alsoTakes: 'words',
    isBegun: picked.length > 0 && picked.every(({ value }) => /[=/]$/.test(value)),
  }
}

/** A lockfile may come from a stranger: no name in it reaches a terminal as more than text. */
function isOneLine(text: string): boolean {
  return text !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)
}

/** What can stand at one place of a line. */
interface Value {
  readonly choices?: readonly string[]
  /** Where callwright itself looks the values up. */
  readonly source?: ValueSource
  /** What the shell completes beside them. */
  readonly alsoTakes?: 'files' | 'folders'
}

/**
 * The values that choices and a placeholder do not tell: of a flag wherever it stands, of an argument by command and name.
 */
const known: Readonly<Record<string, Value>> = {
  '--profile': { source: 'profile' },
  'profile show name': { source: 'profile' },
  'profile use name': { source: 'profile' },
  'profile remove name': { source: 'profile' },
  '--target': { source: 'target' },
  '--adopt': { source: 'adopt' },
  '--forget': { source: 'forget' },
  '--assistant': { source: 'assistant', alsoTakes: 'files' },
  'call chat assistant': { source: 'assistant', alsoTakes: 'files' },
  '--assistant-id': { source: 'assistant-id' },
  'tool update id': { source: 'tool' },
  'tool try file': { source: 'tool', alsoTakes: 'files' },
  'faq ask knowledge-bases': { source: 'kb', alsoTakes: 'files' },
  '--kb': { source: 'kb' },
  '--fault': { source: 'fault' },
  '--fault-http': { source: 'fault-http' },
  '--forward': { source: 'forward' },
  'apply plan': { alsoTakes: 'files' },
  'api METHOD': { choices: methods },
}

/** Every name that the table has, for a test that each of them exists. */
export const knownPlaces = Object.keys(known)

/**
 * What can stand at a flag (`--target`) or an argument (`apply plan`). Its placeholder tells of files; a single `path` is the
 * path of a URL here, only a list of paths means files.
 */
function valueAt(
  place: string,
  placeholder: string,
  { argChoices, variadic }: Pick<Option, 'argChoices' | 'variadic'>,
): Value {
  if (Object.hasOwn(known, place)) return known[place] ?? {}
  if (argChoices !== undefined) return { choices: argChoices }
  if (placeholder.split('|').includes('file') || (placeholder === 'path' && variadic)) {
    return { alsoTakes: 'files' }
  }
  return /^(folder|directory|dir)$/.test(placeholder) ? { alsoTakes: 'folders' } : {}
}
