import type { Argument, Command, Help, HelpConfiguration, Option } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { OpenOption } from '../../cli/flags/open-option.ts'
import { topics } from '../../cli/help-topics.ts'

/** How every help page is laid out: what the command does, usage, examples, then commands or flags. */
export const pageLayout: HelpConfiguration = {
  formatHelp: (command, helper) =>
    command.parent === null ? rootPage(command, helper) : commandPage(command, helper),
  commandUsage: usageLine,
  minWidthToWrap: 16,
  optionDescription: describeValue,
  argumentDescription: describeValue,
}

/** `callwright tool update <id> <file> [flags]`. */
export function usageLine(command: Command): string {
  return [pathOf(command), ...operandsOf(command), '[flags]'].join(' ')
}

/** `callwright tool update`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** The lines of one example, as they can be pasted: broken before flags and pipes where it is too long. */
export function exampleLines(example: string, width: number): string[] {
  const lines: string[] = []
  for (const piece of example.split(/ (?=--|\| |&& |> )/)) {
    const last = lines.at(-1)
    const joined = last === undefined ? piece : `${last} ${piece}`
    // Room for what stands before the line, and for the backslash after it.
    if (last === undefined) lines.push(piece)
    else if (joined.length + 6 <= width) lines[lines.length - 1] = joined
    else lines.push(`    ${piece}`)
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`))
}

function commandPage(command: Command, helper: Help): string {
  const width = helper.helpWidth ?? 80
  const examples = command instanceof CliCommand ? command.exampleLines : []
  const more = command instanceof CliCommand ? command.topics : []
  const about = more.map(topic => ({ term: `callwright help ${topic}`, description: topics[topic] }))
  const flags = helper
    .groupItems(
      [...command.options],
      optionsOf(command, helper),
      option => option.helpGroupHeading ?? 'FLAGS',
    )
    .entries()
  return sections([
    helper.boxWrap(command.description(), width),
    section('USAGE', [`  ${usageLine(command)}`]),
    section(
      'EXAMPLES',
      examples.flatMap(example =>
        exampleLines(example, width).map((line, index) => `${index === 0 ? '  $ ' : '    '}${line}`),
      ),
    ),
    list('COMMANDS', helper.visibleCommands(command).map(described), helper),
    list(
      'ARGUMENTS',
      helper.visibleArguments(command).map(argument => ({
        term: operand(argument),
        description: helper.argumentDescription(argument),
      })),
      helper,
    ),
    ...[...flags].map(([heading, options]) =>
      list(
        heading,
        options.map(option => ({
          term: helper.optionTerm(option),
          description: helper.optionDescription(option),
        })),
        helper,
      ),
    ),
    list('LEARN MORE', [...about, { term: 'callwright help flags', description: globalFlags }], helper),
  ])
}

const globalFlags = 'Flags of every command, such as --json'

/** Every command on a screen of 24 lines: headings stand beside the lists, not above them. */
function rootPage(root: Command, helper: Help): string {
  const examples = root instanceof CliCommand ? root.exampleLines : []
  const commands = helper.visibleCommands(root)
  const groups = helper.groupItems([...root.commands], commands, command => command.helpGroup() ?? '')
  const term = Math.max(...commands.map(command => command.name().length))
  return sections([
    root.description(),
    [...beside('USAGE', [usageLine(root)]), ...beside('EXAMPLES', [...examples])].join('\n'),
    [
      ...[...groups].flatMap(([heading, members]) =>
        beside(
          heading,
          members.map(
            command => `${command.name().padEnd(term)}  ${command.summary() || command.description()}`,
          ),
        ),
      ),
      ...beside('FLAGS', ['callwright help flags lists those of every command, such as --json']),
    ].join('\n'),
  ])
}

function beside(heading: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? heading : '').padEnd(10)}${line}`)
}

function sections(parts: readonly (string | undefined)[]): string {
  return `${parts.filter(part => part !== undefined).join('\n\n')}\n`
}

function section(heading: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [heading, ...lines].join('\n')
}

interface Item {
  readonly term: string
  readonly description: string
}

function list(heading: string, items: readonly Item[], helper: Help): string | undefined {
  const width = Math.max(0, ...items.map(({ term }) => term.length))
  return section(
    heading,
    items.map(({ term, description }) => helper.formatItem(term, width, description, helper)),
  )
}

function described(command: Command): Item {
  return { term: command.name(), description: command.summary() || command.description() }
}

/** The help flag stands in `callwright help flags`, like every flag of the root. */
function optionsOf(command: Command, helper: Help): Option[] {
  return helper.visibleOptions(command).filter(option => command.options.includes(option))
}

function operandsOf(command: Command): string[] {
  if (command.commands.length > 0) return ['<command>']
  return command.registeredArguments.map(operand)
}

/** `<file>`, `[dir]`, `<path...>`. */
function operand(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

/** `Filter by role {user|assistant} (default: user)`. */
function describeValue(item: Option | Argument): string {
  const { defaultValue: value, defaultValueDescription: shown } = item
  const isShown = ['string', 'number'].includes(typeof value) || shown !== undefined
  return [
    item.description,
    ...(item.argChoices === undefined
      ? []
      : [`{${[...item.argChoices, ...(item instanceof OpenOption ? ['…'] : [])].join(', ')}}`]),
    ...(isShown ? [`(default: ${shown ?? value})`] : []),
  ].join(' ')
}
