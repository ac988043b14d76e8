import manifest from '../../../../package.json' with { type: 'json' }
import { declared, effectOf } from '../../shell/cli-command.ts'
import { exitCodes } from '../../shell/exit-codes.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames, topics } from '../../shell/help-topics.ts'
import { argumentSchema, commandSchema, flagSchema, resultSchema } from '../command-schemas.ts'
import { commandHelp, getCommandPath, leafCommands, ownFlags } from './command-help.ts'
import exitCodeText from './topics/exit-codes.txt'

/** Everything that help says, as data: `callyard help --json`. */
export async function helpCatalog(root: AnyCommand) {
  await declared(root, 'tree')
  return {
    version: manifest.version,
    description: root.description(),
    commands: await commandFacts(root),
    flags: flagFacts(root),
    exitCodes: exitCodeFacts(),
    topics: topicNames.map(name => ({ name, description: topics[name] })),
    error: await commandSchema('result:error', root),
  }
}

/** The command, or the commands of a group, as data. */
export async function commandFacts(command: AnyCommand) {
  await declared(command, 'tree')
  return Promise.all(leafCommands(command).map(factsOf))
}

async function factsOf(command: AnyCommand) {
  const { description, usage, examples, topics } = commandHelp(command)
  const effect = effectOf(command)
  return {
    command: getCommandPath(command),
    description,
    usage,
    effect,
    forPerson: effect !== 'none',
    arguments: command.registeredArguments.map(argument => ({
      name: argument.name(),
      required: argument.required,
      ...argumentSchema(argument),
    })),
    flags: flagFacts(command),
    examples,
    topics,
    result: await resultSchema(command),
  }
}

function flagFacts(command: AnyCommand) {
  return ownFlags(command).map(option => ({ flags: option.flags, ...flagSchema(option) }))
}

/** Meaning of each exit code, as the help topic describes it. */
export function exitCodeFacts() {
  const [table = ''] = exitCodeText.split('\n\n')
  const meanings = new Map(
    [...table.matchAll(/^ +(\d+) {2}(.+(?:\n {7}.+)*)$/gm)].map(([, code = '', meaning = '']) => [
      Number(code),
      meaning.replace(/\s+/g, ' '),
    ]),
  )
  return [
    { exitCode: 0, meaning: meanings.get(0) ?? '' },
    ...Object.entries(exitCodes).map(([kind, exitCode]) => ({
      exitCode,
      kind,
      meaning: meanings.get(exitCode) ?? '',
    })),
  ]
}
