// What is written from the command tree: the manual page, the pages of help and the command table of completion (build.js),
// docs/reference.md, the skill and llms.txt (docs.js).
import { declared } from '../src/cli/cli-command.ts'
import type { AnyCommand } from '../src/cli/flags/flag.ts'
import { type TopicName, topicNames, topics } from '../src/cli/help-topics.ts'
import { commandTable } from '../src/commands/completion/command-table.ts'
import {
  type CommandHelp,
  commandHelp,
  exampleLines,
  getCommandPath,
  type HelpItem,
  leafCommands,
} from '../src/commands/help/command-help.ts'
import { topicList } from '../src/commands/help/help.ts'
import { manPage } from '../src/commands/help/man-page.ts'
import { skillPage } from '../src/commands/help/skill.ts'
import { buildProgram } from '../src/commands/program.ts'
import { schemaPath } from '../src/commands/project-schemas.ts'
import { schemaFile } from '../src/commands/write-schemas.ts'
import { kindNames } from '../src/interface/words.ts'

const root = await treeFor(80)

/** The whole tree, with help for a terminal of that width. */
async function treeFor(columns: number): Promise<AnyCommand> {
  const nowhere = { columns, write: () => true }
  const program = buildProgram(async () => {}, { stdout: nowhere, stderr: nowhere })
  await declared(program, 'tree')
  return program
}

/**
 * Renders the help of every command and topic by its path below dist/help, where src/main.ts reads it: `80/callyard.call.start`,
 * `topics/chat`. Pages of 100 columns are included only if they differ from those of 80.
 */
export async function helpPages(): Promise<Map<string, string>> {
  const { topicTexts } = await import('../src/commands/help/topic-texts.ts')
  const pages = new Map<string, string>([['topics/topics', `${topicList()}\n`]])
  for (const topic of topicNames) pages.set(`topics/${topic}`, `${topicTexts[topic].trimEnd()}\n`)
  for (const columns of [80, 100]) {
    for (const command of commandsIn(await treeFor(columns))) {
      const name = getCommandPath(command).replaceAll(' ', '.')
      const page = command.helpInformation()
      if (pages.get(`80/${name}`) !== page) pages.set(`${columns}/${name}`, page)
    }
  }
  return pages
}

function commandsIn(command: AnyCommand): AnyCommand[] {
  return [command, ...command.createHelp().visibleCommands(command).flatMap(commandsIn)]
}

/** The schema of each kind of file, without a vocabulary, by its path below dist/: `schemas/tool.schema.json`. */
export function schemaFiles(): (readonly [file: string, schema: string])[] {
  return kindNames.map(kind => [schemaPath(kind), schemaFile(kind, {})])
}

/** The command table that completion reads, as JSON. */
export async function completionTable(): Promise<string> {
  return JSON.stringify(await commandTable(root))
}

/** The manual page of the command line of this version. */
export function callyardManPage(version: string): Promise<string> {
  return manPage(root, version)
}

/** skills/callyard/SKILL.md, for coding agents that install skills from a repository. */
export function skillFile(): Promise<string> {
  return skillPage(root)
}

/** Guides about callyard itself, which its users do not need. */
const aboutTheCode = ['architecture.md', 'speed.md']

/** llms.txt: an index of the plain Markdown pages in the package, from the table in docs/README.md. */
export function llmsText(docsIndex: string): string {
  const rows = [...docsIndex.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
  const pages = rows.flatMap(([, purpose = '', links = '']) =>
    [...links.matchAll(/\[(.+?)\]\(([\w-]+\.md)\)/g)].map(([, title = '', file = '']) => ({
      file,
      line: `- [${title}](docs/${file}): ${purpose}`,
    })),
  )
  const lines = (isWanted: (file: string) => boolean) =>
    pages.filter(({ file }) => isWanted(file)).map(({ line }) => line)
  return `${[
    '# callyard',
    `> ${root.description()}. A command line for a voice-assistant calling service, with the entire service as a sandbox.`,
    'All pages are plain Markdown, also in the npm package. `callyard help --json` prints the commands, flags, exit codes and results as data.',
    '## Guides',
    [
      '- [README](README.md): get an overview',
      '- [Skill](skills/callyard/SKILL.md): work on a project as a coding agent',
      ...lines(file => !aboutTheCode.includes(file)),
    ].join('\n'),
    '## Optional',
    lines(file => aboutTheCode.includes(file)).join('\n'),
  ].join('\n\n')}\n`
}

/** Every command of the tree with its flags, then the help topics, as one Markdown page that can be searched. */
export async function referencePage(): Promise<string> {
  const { topicGuides, topicTexts } = await import('../src/commands/help/topic-texts.ts')
  const leaves = leafCommands(root)
  /** Topic as a link to the section of its guide, or to its text on this page. */
  const topicLink = (topic: TopicName) => {
    const { page, headings: [first = ''] = [] } = topicGuides[topic] ?? {}
    const name = `callyard help ${topic}`
    return page === undefined ? link(name) : `[\`${name}\`](${page}#${anchorOf(first)})`
  }
  return [
    '# Reference',
    '<!-- Generated by `npm run docs` from the command tree. Change the help of a command, not this page. -->',
    `Every command and help topic of \`callyard\`, as \`callyard help\` prints them. Write \`--port 4011\` or \`--port=4011\`. \`<…>\` is required, \`[…]\` is not.`,
    table(
      ['Command', 'Does'],
      leaves.map(command => [link(getCommandPath(command)), prose(command.description())]),
    ),
    table(
      ['Topic', 'Says'],
      topicNames.map(topic => [topicLink(topic), prose(topics[topic])]),
    ),
    '## Flags of every command',
    ...commandHelp(root).flags.map(({ items }) => itemTable('Flag', items)),
    '## Commands',
    ...leaves.flatMap(command => commandSection(command, topicLink)),
    '## Help topics',
    'Topics that print a section of a guide are linked above.',
    ...topicNames
      .filter(topic => topicGuides[topic] === undefined)
      .flatMap(topic => [
        `### callyard help ${topic}`,
        `${prose(topics[topic])}.`,
        fence('text', topicTexts[topic].trimEnd()),
      ]),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')
}

function commandSection(command: AnyCommand, topicLink: (topic: TopicName) => string): string[] {
  const help = commandHelp(command)
  return [
    `### ${getCommandPath(command)}`,
    `${prose(help.description)}.`,
    fence('text', help.usage),
    fence('console', examplesOf(help)),
    ...(help.arguments.length === 0 ? [] : [itemTable('Argument', help.arguments)]),
    ...help.flags.map(({ heading, items }) =>
      itemTable(heading === 'FLAGS' ? 'Flag' : `Flag: ${heading.toLowerCase()}`, items),
    ),
    ...(help.topics.length === 0 ? [] : [`See also: ${help.topics.map(topicLink).join(', ')}`]),
  ]
}

function examplesOf({ examples }: CommandHelp): string {
  return examples.map(example => `$ ${exampleLines(example, 90).join('\n')}`).join('\n')
}

function itemTable(heading: string, items: readonly HelpItem[]): string {
  return table(
    [heading, ''],
    items.map(({ term, description }) => [`\`${term.replaceAll('|', '\\|')}\``, prose(description)]),
  )
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headings, headings.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

function link(heading: string): string {
  return `[\`${heading}\`](#${anchorOf(heading)})`
}

/** The anchor that GitHub and GitLab give to the heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

function fence(language: string, body: string): string {
  return `\`\`\`${language}\n${body}\n\`\`\``
}

/** Text that Markdown leaves as it is: no character of it is a tag, a mark or the end of a cell. */
function prose(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|]/g, '\\$&')
}
