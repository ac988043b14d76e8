import { declared, defineCommand } from '../../cli/cli-command.ts'
import type { AnyCommand } from '../../cli/flags/flag.ts'
import { isTopic, topicNames, topics } from '../../cli/help-topics.ts'
import { findCommand } from './command-help.ts'

/** `help <command…>`, `help <topic>` and `help topics`. */
export const helpCommand = defineCommand({
  description: 'Show the help of a command, or a topic',
  summary: 'Show help on a command or topic; help topics lists them',
  examples: ['callwright help call start', 'callwright help topics'],
  flags: command => command.argument('[topic...]', 'A command, or a topic of callwright help topics'),
  async run(_options, { output }, [words]) {
    const [name = '', ...rest] = words
    if (rest.length === 0 && name === 'topics') return output.result({ topics }, topicList)
    if (rest.length === 0 && isTopic(name)) {
      const { topicTexts } = await import('./topic-texts.ts')
      const text = topicTexts[name].trimEnd()
      return output.result({ topic: name, text }, () => text)
    }
    output.raw(await helpPage(this.parent ?? this, words, [...topicNames, 'topics']))
  },
})

/**
 * The help page of the command that the words name, flags among them.
 * @throws CallwrightError `usage` for a word that names no command; `topics` are what it may have meant, too
 */
export async function helpPage(
  root: AnyCommand,
  words: readonly string[],
  topics?: readonly string[],
): Promise<string> {
  const { command, unknown } = await findCommand(root, words)
  if (unknown === undefined) {
    await declared(command, 'page')
    return command.helpInformation()
  }
  await declared(root, 'tree')
  const { unknownCommand } = await import('./usage-error.ts')
  throw unknownCommand(command, unknown, topics)
}

/** What `callwright help topics` prints. */
export function topicList(): string {
  const width = Math.max(...topicNames.map(name => name.length))
  return [
    'TOPICS',
    ...topicNames.map(name => `  ${name.padEnd(width)}  ${topics[name]}`),
    '',
    'Read one with callwright help <topic>, such as callwright help flags.',
  ].join('\n')
}
