import type { Argument, Option } from '@commander-js/extra-typings'
import type { AnyCommand } from '../../cli/flags/flag.ts'
import { knownValue, type Value } from './values.ts'

export interface OptionDescription {
  /** `['-h', '--help']`; a flag without a short form has one name. */
  readonly names: readonly string[]
  readonly description: string
  /** Absent for a flag that stands alone. */
  readonly value?: Value & { readonly placeholder: string }
}

interface ArgumentDescription {
  readonly name: string
  readonly required: boolean
  /** The last one may take all the words that are left. */
  readonly repeats: boolean
  readonly value: Value
}

interface NamedCommand {
  readonly name: string
  readonly description: string
}

export interface CommandDescription {
  /** `['webhook', 'tail']`; empty for the root. */
  readonly path: readonly string[]
  readonly subcommands: readonly NamedCommand[]
  /** Without the tree's `globals`. */
  readonly options: readonly OptionDescription[]
  readonly arguments: readonly ArgumentDescription[]
}

/** Everything a completion script has to know, as data: parents stand before their children. */
export interface Tree {
  readonly program: string
  /** Accepted by every command, before and after its name. */
  readonly globals: readonly OptionDescription[]
  readonly commands: readonly CommandDescription[]
}

/**
 * A commander tree as data. Hidden commands and options are left out. `help` is followed by the names of commands, so
 * below it the tree is repeated without options; `topics` are offered beside the commands.
 */
export function describeTree(root: AnyCommand, topics: readonly NamedCommand[] = []): Tree {
  const own = describeCommands(root, [])
  const rootOptions = own[0]?.options ?? []
  const globals = rootOptions.filter(({ names }) => !names.includes('--version'))
  const names = new Set(globals.flatMap(option => option.names))
  const commands = own.map(command => ({
    ...command,
    options: command.options.filter(option => !option.names.every(name => names.has(name))),
  }))
  const help = commands.some(({ path }) => path[0] === 'help') ? helpCommands(commands, topics) : []
  return {
    program: root.name(),
    globals,
    commands: [...commands.filter(({ path }) => path[0] !== 'help'), ...help],
  }
}

function describeCommands(command: AnyCommand, path: readonly string[]): CommandDescription[] {
  const help = command.createHelp()
  const subcommands = help.visibleCommands(command)
  const description: CommandDescription = {
    path,
    subcommands: subcommands.map(child => ({ name: child.name(), description: summaryOf(child) })),
    options: help.visibleOptions(command).map(describeOption),
    arguments: command.registeredArguments.map(argument => describeArgument(argument, path)),
  }
  return [
    description,
    ...subcommands.flatMap(child =>
      command.commands.includes(child) ? describeCommands(child, [...path, child.name()]) : [],
    ),
  ]
}

function helpCommands(
  commands: readonly CommandDescription[],
  topics: readonly NamedCommand[],
): CommandDescription[] {
  return commands
    .filter(({ subcommands }) => subcommands.length > 0)
    .map(({ path, subcommands }) => ({
      path: ['help', ...path],
      subcommands: [
        ...subcommands.filter(({ name }) => path.length > 0 || name !== 'help'),
        ...(path.length === 0 ? uncommon(topics, subcommands) : []),
      ],
      options: [],
      arguments: [],
    }))
}

/** The topic about a command has its name, which is offered once. */
function uncommon(topics: readonly NamedCommand[], commands: readonly NamedCommand[]): NamedCommand[] {
  return topics.filter(({ name }) => !commands.some(command => command.name === name))
}

function summaryOf(command: AnyCommand): string {
  return oneLine(command.summary() || command.description())
}

function describeOption(option: Option): OptionDescription {
  const names = [option.short, option.long].filter(name => name !== undefined)
  const placeholder = /[<[](.+)[>\]]$/.exec(option.flags)?.[1]
  const described = { names, description: oneLine(option.description) }
  if (placeholder === undefined) return described
  const value =
    knownValue(option.long ?? '') ??
    describeValue(placeholder.replace(/\.\.\.$/, ''), option.argChoices, option.variadic)
  return { ...described, value: { ...value, placeholder } }
}

function describeArgument(argument: Argument, path: readonly string[]): ArgumentDescription {
  const name = argument.name()
  return {
    name,
    required: argument.required,
    repeats: argument.variadic,
    value:
      knownValue([...path, name].join(' ')) ?? describeValue(name, argument.argChoices, argument.variadic),
  }
}

/** The placeholder tells the kind. A single `path` is the path of a URL here; only a list of paths means files. */
function describeValue(placeholder: string, choices: readonly string[] | undefined, repeats: boolean): Value {
  if (choices !== undefined) return { kind: 'choices', choices }
  if (placeholder.split('|').includes('file') || (placeholder === 'path' && repeats)) return { kind: 'file' }
  if (['folder', 'directory', 'dir'].includes(placeholder)) return { kind: 'folder' }
  return { kind: 'text' }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
