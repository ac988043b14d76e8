import manifest from '../../../../package.json' with { type: 'json' }
import { declared, type Effect, effectOf } from '../../shell/cli-command.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames } from '../../shell/help-topics.ts'
import { exitCodeFacts } from './catalog.ts'
import { getCommandPath, leafCommands } from './command-help.ts'
import template from './skill.txt'

/** SKILL.md for coding agents: how to use this version, its commands, and those that are left to a person. */
export async function skillPage(root: AnyCommand): Promise<string> {
  await declared(root, 'tree')
  const commands = leafCommands(root)
  const listed = (...effects: Effect[]) =>
    commands
      .filter(command => effects.includes(effectOf(command)))
      .map(command => `- \`${getCommandPath(command)}\`: ${command.description()}`)
      .join('\n')
  const parts: Readonly<Record<string, string>> = {
    version: manifest.version,
    exitCodes: exitCodeFacts()
      .map(({ exitCode, meaning }) => `| ${exitCode} | ${meaning} |`)
      .join('\n'),
    commands: listed('none'),
    changes: listed('changes'),
    calls: listed('calls'),
    topics: topicNames.join(', '),
  }
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => parts[name] ?? placeholder)
}
