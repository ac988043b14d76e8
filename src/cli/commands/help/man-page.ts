import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames, topics } from '../../shell/help-topics.ts'
import { type CommandHelp, commandHelp, exampleLines, type HelpItem, leafCommands } from './command-help.ts'

/** The manual page of a command tree, in the man macros that groff and mandoc read. Written at build (scripts/build.js). */
export async function manPage(root: AnyCommand, version: string): Promise<string> {
  const { topicText } = await import('./topic-texts.ts')
  const name = root.name()
  const help = commandHelp(root)
  const lines = [
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`${name} ${version}`)}`,
    '.ad l',
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(help.description)}`,
    '.SH SYNOPSIS',
    `.B ${escaped(name)}`,
    escaped(help.usage.slice(name.length + 1)),
    '.SH COMMANDS',
    ...leafCommands(root).flatMap(command => commandLines(commandHelp(command), name)),
    '.SH OPTIONS',
    'Every command takes these:',
    ...help.flags.flatMap(({ items }) => items.flatMap(item)),
    '.SH EXIT STATUS',
    ...layout(topicText('exit-codes', root)),
    '.SH ENVIRONMENT',
    ...layout(topicText('environment', root)),
    '.SH EXAMPLES',
    ...examples(help),
    '.SH SEE ALSO',
    'More is in the topics of the program itself:',
    ...topicNames.flatMap(topic => item({ term: `${name} help ${topic}`, description: topics[topic] })),
  ]
  return `${lines.join('\n')}\n`
}

function commandLines(help: CommandHelp, program: string): string[] {
  return [
    `.SS ${quoted(help.usage.slice(program.length + 1))}`,
    `${escaped(help.description)}.`,
    ...help.arguments.flatMap(item),
    ...help.flags.flatMap(({ items }) => items.flatMap(item)),
    ...(help.examples.length === 0 ? [] : ['.PP', ...examples(help)]),
  ]
}

function item({ term, description }: HelpItem): string[] {
  return ['.TP', `.B ${escaped(term)}`, escaped(description.replace(/\s+/g, ' ').trim())]
}

/** Columns left of 80 for examples. */
const exampleWidth = 68

function examples({ examples: lines }: CommandHelp): string[] {
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
  for (const [index, line] of rest.entries()) {
    if (/^[A-Z]/.test(line)) lines.push('.fi', '.RE', `.SS ${quoted(line)}`, '.RS -7', '.nf')
    else if (line !== '') lines.push(...(rest[index - 1] === '' ? ['.sp'] : []), escaped(line))
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

/** Escapes text so that no character of it is a macro, a ligature or a hyphen. */
function escaped(text: string): string {
  const plain = text.replace(/[\\\-'"`^~]|[^\x20-\x7e]/gu, character => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return inMacro[character] ?? `\\[u${code}]`
  })
  return /^[. ]/.test(plain) ? `\\&${plain}` : plain
}

/** One argument of a macro. */
function quoted(text: string): string {
  return `"${escaped(text)}"`
}
