import type { Argument, Command, Option } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { topicNames, topics } from '../../cli/help-topics.ts'
import { exampleLines, pathOf, usageLine } from './page.ts'

/** The manual page of a command tree, in the man macros that groff and mandoc read. Written at build (scripts/build.js). */
export async function manPage(root: Command, version: string): Promise<string> {
  const { topicTexts } = await import('./topic-texts.ts')
  const name = root.name()
  const helper = root.createHelp()
  const lines = [
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`${name} ${version}`)}`,
    '.ad l',
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(root.description())}`,
    '.SH SYNOPSIS',
    `.B ${escaped(name)}`,
    escaped(usageLine(root).slice(name.length + 1)),
    '.SH COMMANDS',
    ...leaves(root).flatMap(commandLines),
    '.SH OPTIONS',
    'Every command takes these:',
    ...helper.visibleOptions(root).flatMap(option => optionItem(option, root)),
    '.SH EXIT STATUS',
    ...layout(topicTexts['exit-codes']),
    '.SH ENVIRONMENT',
    ...layout(topicTexts.environment),
    '.SH EXAMPLES',
    ...examples(root),
    '.SH SEE ALSO',
    'More is in the topics of the program itself:',
    ...topicNames.flatMap(topic => item(`${name} help ${topic}`, topics[topic])),
  ]
  return `${lines.join('\n')}\n`
}

/** The commands that do something, in the order of the help. */
function leaves(command: Command): Command[] {
  const children = command.createHelp().visibleCommands(command)
  return children.length === 0 ? [command] : children.flatMap(leaves)
}

function commandLines(command: Command): string[] {
  const helper = command.createHelp()
  const options = helper.visibleOptions(command).filter(option => command.options.includes(option))
  return [
    `.SS ${quoted(usageLine(command).slice(rootName(command).length + 1))}`,
    `${escaped(command.description())}.`,
    ...helper
      .visibleArguments(command)
      .flatMap((argument: Argument) => item(argument.name(), helper.argumentDescription(argument))),
    ...options.flatMap(option => optionItem(option, command)),
    ...(examples(command).length === 0 ? [] : ['.PP', ...examples(command)]),
  ]
}

function rootName(command: Command): string {
  return pathOf(command).split(' ', 1)[0] ?? ''
}

function optionItem(option: Option, command: Command): string[] {
  return item(option.flags, command.createHelp().optionDescription(option))
}

function item(term: string, description: string): string[] {
  return ['.TP', `.B ${escaped(term)}`, escaped(description.replace(/\s+/g, ' ').trim())]
}

/** Columns that are left of 80 where examples stand. */
const exampleWidth = 68

function examples(command: Command): string[] {
  const lines = command instanceof CliCommand ? command.exampleLines : []
  if (lines.length === 0) return []
  return [
    '.RS 4',
    '.nf',
    ...lines.flatMap(line => exampleLines(line, exampleWidth)).map(escaped),
    '.fi',
    '.RE',
  ]
}

/** A topic as it is laid out; its first heading is the section's. */
function layout(topic: string): string[] {
  const [, ...rest] = topic.trimEnd().split('\n')
  // The text is 80 columns wide as it is: it begins further left than other sections.
  const lines: string[] = ['.RS -7', '.nf']
  let blank = false
  for (const line of rest) {
    if (/^[A-Z]/.test(line)) lines.push('.fi', '.RE', `.SS ${quoted(line)}`, '.RS -7', '.nf')
    else if (line === '') blank = true
    else lines.push(...(blank ? ['.sp'] : []), escaped(line))
    if (line !== '') blank = false
  }
  return [...lines, '.fi', '.RE']
}

const inMacro: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** Text that stands for itself: no character of it is a macro, a ligature or a hyphen. */
function escaped(text: string): string {
  const plain = text.replace(/[\\\-'"`^~]|[^\x20-\x7e]/gu, character => {
    return inMacro[character] ?? `\\[u${codeOf(character)}]`
  })
  return /^[. ]/.test(plain) ? `\\&${plain}` : plain
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

/** One argument of a macro. */
function quoted(text: string): string {
  return `"${escaped(text)}"`
}
