import type { Argument, Help, HelpConfiguration, Option } from '@commander-js/extra-typings'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { typingError } from '../../../lib/text/did-you-mean.ts'
import { CliCommand, defineCommand } from '../../shell/cli-command.ts'
import type { Output } from '../../shell/context.ts'
import { type AnyCommand, Flag, Operand } from '../../shell/flags/flag.ts'
import { isTopic, topicNames, topics } from '../../shell/help-topics.ts'
import {
  commandHelp,
  exampleLines,
  findCommand,
  getCommandPath,
  type HelpItem,
  helpItem,
  itemLines,
  ownFlags,
  usageLine,
} from './command-help.ts'
import type { HelpMatch } from './search-help.ts'

/** `help <command…>`, `help <topic>`, `help topics`, and `help <word>` to search. */
export const helpCommand = defineCommand({
  description: 'Show help for a command or topic',
  summary: 'Show help on a command or topic; help topics lists them',
  examples: ['callyard help call start', 'callyard help topics', 'callyard help --json'],
  effect: 'none',
  flags: command =>
    command
      .addArgument(
        new Operand(
          '[topic...]',
          'Command, help topic, or words to search for (with --json: as data)',
        ).completes('topics'),
      )
      .option('--all', 'List every flag of the command')
      .option('--skill', 'Print SKILL.md for coding agents'),
  result: async builders => (await import('./catalog.ts')).helpResult(builders),
  async run({ all = false, skill = false }, { output }, [words]) {
    const root = this.parent ?? this
    const [name = '', ...rest] = words
    if (skill) return printSkill(root, words, output)
    if (rest.length === 0 && name === 'topics') return output.result({ topics }, topicList)
    if (rest.length === 0 && isTopic(name)) {
      const { topicText } = await import('./topic-texts.ts')
      const text = topicText(name, root).trimEnd()
      return output.result({ topic: name, text }, () => text)
    }
    const names = [...topicNames, 'topics']
    const commandNames = root.commands.map(command => command.name())
    const phrase = words.join(' ')
    // A first word that is almost a command begins its path.
    const isPath =
      rest.length > 0 && (commandNames.includes(name) || typingError(name, commandNames) !== undefined)
    if (!isPath && !commandNames.includes(name)) {
      const matches = await findMatches(phrase, [...names, ...commandNames], root)
      if (matches.length > 0) {
        const { matchList } = await import('./search-help.ts')
        return output.result({ matches }, () => matchList(matches))
      }
    }
    const pathWords = isPath || name === '' ? words : [phrase]
    if (!output.json) return output.raw(await helpPage(root, pathWords, { all, topics: names }))
    const { commandFacts, helpCatalog } = await import('./catalog.ts')
    const command = await findHelped(root, pathWords, names)
    const facts = command === root ? await helpCatalog(root) : { commands: await commandFacts(command) }
    output.result(facts, () => '')
  },
})

/** Matches of a word that is neither a typing error nor a habit from other tools: these get a suggestion. */
async function findMatches(word: string, names: readonly string[], root: AnyCommand): Promise<HelpMatch[]> {
  const { otherWords } = await import('./other-words.ts')
  if (word === '' || otherWords.has(word) || typingError(word, names) !== undefined) return []
  return (await import('./search-help.ts')).searchHelp(root, word)
}

async function printSkill(root: AnyCommand, words: readonly string[], output: Output): Promise<void> {
  if (words.length > 0)
    throw new CallyardError('usage', '--skill describes every command', { hint: 'remove the other words' })
  const { skillPage } = await import('./skill.ts')
  const skill = await skillPage(root)
  if (output.json) output.result({ skill }, () => '')
  else output.raw(skill)
}

/**
 * Returns the help page of a command by its words, which may include flags; with `all` it has every flag.
 * @throws CallyardError `usage` for an unknown command; suggests `topics` too
 */
export async function helpPage(
  root: AnyCommand,
  words: readonly string[],
  { all = false, topics }: { readonly all?: boolean; readonly topics?: readonly string[] } = {},
): Promise<string> {
  const command = await findHelped(root, words, topics)
  if (command instanceof CliCommand) command.showsAllFlags = all
  const { entryOf, loadCommandTable } = await import('../completion/load-table.ts')
  // Commands below it are not declared; the page shows only their descriptions.
  for (const { value, description } of entryOf(command, await loadCommandTable(root))?.commands ?? [])
    command.commands.find(child => child.name() === value)?.summary(description)
  return command.helpInformation()
}

/** @throws CallyardError `usage` for an unknown command */
async function findHelped(root: AnyCommand, words: readonly string[], topics?: readonly string[]) {
  const { command, unknown } = await findCommand(root, words)
  if (unknown === undefined) return command
  const { loadCommandTable } = await import('../completion/load-table.ts')
  const { unknownCommand } = await import('./usage-error.ts')
  throw unknownCommand(command, unknown, { table: await loadCommandTable(root), topics })
}

/** Text of `callyard help topics`. */
export function topicList(): string {
  const width = Math.max(...topicNames.map(name => name.length))
  return [
    'TOPICS',
    ...topicNames.map(name => `  ${name.padEnd(width)}  ${topics[name]}`),
    '',
    'Read one with callyard help <topic>, such as callyard help flags. Search all',
    'help and the guides with callyard help <word>, such as callyard help csv.',
  ].join('\n')
}

/** Columns of text below which nothing is wrapped. */
const narrowest = 16
/** Columns of the headings of the root's page. */
const afterIndent = 10

/** Heading of commands that the root's page names on one line, without descriptions. */
export const quietHeading = 'ALSO'

/** Layout of help pages: description, usage, examples, then commands or flags. */
export const pageLayout: HelpConfiguration = {
  formatHelp: (command, helper) =>
    command.parent === null ? rootPage(command, helper) : commandPage(command, helper),
  commandUsage: usageLine,
  minWidthToWrap: narrowest,
  optionDescription: describeValue,
  argumentDescription: describeValue,
}

/** Lines that a page has at most at 80 columns: a longer one leaves out rare flags, at any width. */
const maxLines = 45

function commandPage(command: AnyCommand, helper: Help): string {
  const flags = ownFlags(command, helper)
  const isRare = (flag: Option) => flag instanceof Flag && flag.isRare
  const { helpWidth = 80 } = helper
  const full = pageWith(flags, command, Object.assign(helper, { helpWidth: 80 }))
  helper.helpWidth = helpWidth
  const showsAll = command instanceof CliCommand && command.showsAllFlags
  const isShortened = !showsAll && full.trimEnd().split('\n').length > maxLines
  return pageWith(isShortened ? flags.filter(flag => !isRare(flag)) : flags, command, helper)
}

function pageWith(flags: Option[], command: AnyCommand, helper: Help): string {
  const width = helper.helpWidth ?? 80
  const help = commandHelp(command, helper, flags)
  const left = ownFlags(command, helper).length - flags.length
  const about = help.topics.map(topic => ({ term: `callyard help ${topic}`, description: topics[topic] }))
  return sections([
    helper.boxWrap(help.description, width),
    section('USAGE', [`  ${help.usage}`]),
    section(
      'EXAMPLES',
      help.examples.flatMap(example =>
        exampleLines(example, width).map((line, index) => `${index === 0 ? '  $ ' : '    '}${line}`),
      ),
    ),
    list('COMMANDS', help.commands, helper),
    list('ARGUMENTS', help.arguments, helper),
    ...help.flags.map(({ heading, items }) => list(heading, items, helper)),
    left === 0 ? undefined : `${count(left, 'more flag')}: ${getCommandPath(command)} --help --all`,
    list('LEARN MORE', [...about, { term: 'callyard help flags', description: globalFlags }], helper),
  ])
}

const globalFlags = 'Flags of every command, such as --json'

/** Names every command on a screen of 24 lines: headings are next to the lists, not above them. */
function rootPage(root: AnyCommand, helper: Help): string {
  const visible = helper.visibleCommands(root)
  const commands = visible.filter(command => command.helpGroup() !== quietHeading)
  const quiet = visible.filter(command => !commands.includes(command)).map(command => command.name())
  const width = Math.max(...commands.map(command => command.name().length))
  const room = Math.max(narrowest, (helper.helpWidth ?? 80) - afterIndent)
  const wrapped = (words: string, columns: number) => helper.boxWrap(words, columns).split('\n')
  const lines = (heading: string) =>
    commands
      .filter(command => command.helpGroup() === heading)
      .map(helpItem)
      .flatMap(({ term, description }) =>
        wrapped(description, room - width - 2).map(
          (row, index) => `${(index === 0 ? term : '').padEnd(width)}  ${row}`,
        ),
      )
  const headings = new Set(commands.map(command => command.helpGroup()))
  const usage = wrapped(`${usageLine(root)} (of every command: callyard help flags)`, room)
  return `${[
    root.description(),
    ...beside('USAGE', usage),
    ...[...headings].flatMap(heading => beside(heading, lines(heading))),
    ...beside(quietHeading, wrapped(quiet.join(', '), room)),
  ].join('\n')}\n`
}

function beside(heading: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? heading : '').padEnd(afterIndent)}${line}`)
}

function sections(parts: readonly (string | undefined)[]): string {
  return `${parts.filter(part => part !== undefined).join('\n\n')}\n`
}

function section(heading: string, lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : [heading, ...lines].join('\n')
}

function list(heading: string, items: readonly HelpItem[], helper: Help): string | undefined {
  return section(heading, itemLines(items, helper))
}

/** `Filter by role {user|assistant} (default: user)`. */
function describeValue(item: Option | Argument): string {
  const { defaultValue: value, defaultValueDescription: defaultText } = item
  const isShown = ['string', 'number'].includes(typeof value) || defaultText !== undefined
  return [
    item.description,
    ...(item.argChoices === undefined
      ? []
      : [`{${[...item.argChoices, ...(item instanceof Flag && item.isOpen ? ['…'] : [])].join(', ')}}`]),
    ...(isShown ? [`(default: ${defaultText ?? value})`] : []),
  ].join(' ')
}
