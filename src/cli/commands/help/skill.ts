import manifest from '../../../../package.json' with { type: 'json' }
import { declared } from '../../shell/cli-command.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames } from '../../shell/help-topics.ts'
import { exitCodeFacts } from './catalog.ts'
import { getCommandPath, leafCommands } from './command-help.ts'
import { isForPerson } from './for-person.ts'
import template from './skill.txt'

/** SKILL.md for coding agents: how to use this version, its commands, and those that are left to a person. */
export async function skillPage(root: AnyCommand): Promise<string> {
  await declared(root, 'tree')
  const commands = leafCommands(root)
  const listed = (forPerson: boolean) =>
    commands
      .filter(command => isForPerson(getCommandPath(command)) === forPerson)
      .map(command => `- \`${getCommandPath(command)}\`: ${command.description()}`)
      .join('\n')
  const parts: Readonly<Record<string, string>> = {
    version: manifest.version,
    exitCodes: exitCodeFacts()
      .map(({ exitCode, meaning }) => `| ${exitCode} | ${meaning} |`)
      .join('\n'),
    commands: listed(false),
    forPerson: listed(true),
    topics: topicNames.join(', '),
  }
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => parts[name] ?? placeholder)
}
