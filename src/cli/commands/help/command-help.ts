import type { Argument, Help, Option } from '@commander-js/extra-typings'
import { CliCommand, declared } from '../../shell/cli-command.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'

export interface HelpItem {
  readonly term: string
  readonly description: string
}

/** Help of a command, which the help page, the manual page and docs/reference.md lay out. */
export type CommandHelp = ReturnType<typeof commandHelp>

/** Omits hidden commands and flags. `helper` has the styles of the terminal, if there is one. */
export function commandHelp(
  command: AnyCommand,
  helper: Help = command.createHelp(),
  flags: Option[] = ownFlags(command, helper),
) {
  const groups = helper.groupItems([...command.options], flags, option => option.helpGroupHeading ?? 'FLAGS')
  const { examples, topics } = command instanceof CliCommand ? command : { examples: [], topics: [] }
  return {
    description: command.description(),
    usage: usageLine(command),
    examples,
    commands: helper.visibleCommands(command).map(helpItem),
    arguments: helper.visibleArguments(command).map(argument => ({
      term: operand(argument),
      description: helper.argumentDescription(argument),
    })),
    flags: [...groups].map(([heading, members]) => ({
      heading,
      items: members.map((option: Option) => ({
        term: helper.optionTerm(option),
        description: helper.optionDescription(option),
      })),
    })),
    topics,
  }
}

/** Visible flags of a command. The help flag is described in `callyard help flags`, like all global flags. */
export function ownFlags(command: AnyCommand, helper: Help = command.createHelp()): Option[] {
  const isRoot = command.parent === null
  return helper.visibleOptions(command).filter(option => isRoot || command.options.includes(option))
}

/** Lines of a list, with the descriptions in a column. */
export function itemLines(items: readonly HelpItem[], helper: Help): string[] {
  const width = Math.max(0, ...items.map(({ term }) => term.length))
  return items.map(({ term, description }) => helper.formatItem(term, width, description, helper))
}

/** A command in the list of those of its group. */
export function helpItem(command: AnyCommand): HelpItem {
  return { term: command.name(), description: command.summary() || command.description() }
}

/** The commands below this one that do something themselves, in the order of the help. */
export function leafCommands(command: AnyCommand): AnyCommand[] {
  const children = command.createHelp().visibleCommands(command)
  return [...(hasAction(command) ? [command] : []), ...children.flatMap(leafCommands)]
}

/** A command with subcommands has its own action if it has a result: `test`, next to `test record`. */
export function hasAction(command: AnyCommand): boolean {
  return command.commands.length === 0 || (command instanceof CliCommand && command.result !== undefined)
}

/** `callyard tool update <id> <file> [flags]`, or the usage that the command declares. */
export function usageLine(command: AnyCommand): string {
  const declared = command.usage()
  if (!declared.startsWith('[options]')) return `${getCommandPath(command)} ${declared}`
  return [getCommandPath(command), ...operandsOf(command), '[flags]'].join(' ')
}

/** `callyard tool update`. */
export function getCommandPath(command: AnyCommand): string {
  return command.parent === null ? command.name() : `${getCommandPath(command.parent)} ${command.name()}`
}

/** The lines of one example, as they can be pasted: broken before flags and pipes where it is too long. */
export function exampleLines(example: string, width: number): string[] {
  const lines: string[] = []
  for (const piece of example.split(/ (?=--|\| |&& |> )/)) {
    const last = lines.at(-1)
    const joined = last === undefined ? piece : `${last} ${piece}`
    // Room for the indent and for the backslash at the end.
    if (last === undefined) lines.push(piece)
    else if (joined.length + 6 <= width) lines[lines.length - 1] = joined
    else lines.push(`    ${piece}`)
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`))
}

function operandsOf(command: AnyCommand): string[] {
  if (!hasAction(command)) return ['<command>']
  return command.registeredArguments.map(operand)
}

/** `<file>`, `[dir]`, `<path...>`. */
function operand(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

/**
 * Finds the innermost command of a command line, even of an invalid one, and the word after it that is not a subcommand. Global flags may
 * appear between the words.
 */
export async function findCommand(
  root: AnyCommand,
  argv: readonly string[],
): Promise<{ readonly command: AnyCommand; readonly unknown?: string }> {
  let command = root
  let isValue = false
  for (const word of argv) {
    await declared(command)
    if (isValue) {
      isValue = false
    } else if (word.startsWith('-')) {
      isValue = root.options.some(
        ({ required, short, long }) => required && (word === short || word === long),
      )
    } else if (command.commands.length === 0) {
      return { command }
    } else {
      const next = command.commands.find(candidate => candidate.name() === word)
      if (next === undefined) return hasAction(command) ? { command } : { command, unknown: word }
      command = next
    }
  }
  await declared(command)
  return { command }
}
