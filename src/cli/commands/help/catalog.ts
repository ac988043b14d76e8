import manifest from '../../../../package.json' with { type: 'json' }
import { declared, effectOf, effects } from '../../shell/cli-command.ts'
import { exitCodes } from '../../shell/exit-codes.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { topicNames, topics } from '../../shell/help-topics.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { argumentSchema, commandSchema, flagSchema, resultSchema } from '../command-schemas.ts'
import { commandHelp, getCommandPath, leafCommands, ownFlags } from './command-help.ts'
import exitCodeText from './topics/exit-codes.txt'

export function helpResult({ z, objectList, optional, required }: SchemaBuilders) {
  const commands = objectList({
    command: required(z.string(), 'Command line up to its arguments, such as callyard call start'),
    description: z.string(),
    usage: z.string(),
    effect: required(
      z.enum(effects),
      'changes: changes the service, deletes records or decides which service is used; calls: places or controls calls',
    ),
    forPerson: required(z.boolean(), 'True if a coding agent must leave the command to a person'),
    arguments: z.array(z.looseObject({ name: z.string(), required: z.boolean() })),
    flags: required(z.array(z.looseObject({ flags: z.string() })), 'Each with the JSON Schema of its value'),
    examples: z.array(z.string()),
    topics: z.array(z.string()),
    result: optional(z.record(z.string(), z.unknown()), 'JSON Schema of the --json output'),
  })
  return {
    document: z.union([
      z.object({ topics: required(z.record(z.string(), z.string()), 'Descriptions by name') }),
      z.object({ topic: z.string(), text: z.string() }),
      z.object({
        matches: objectList({
          command: optional(z.string(), 'Command that prints a page or topic that has the word'),
          guide: optional(z.string(), 'Guide in the package that has the word'),
          description: z.string(),
        }),
      }),
      required(z.object({ commands }), 'The commands that were named'),
      required(
        z.object({
          version: z.string(),
          description: z.string(),
          commands,
          flags: required(z.array(z.looseObject({ flags: z.string() })), 'Flags of every command'),
          exitCodes: objectList({ exitCode: z.int(), kind: z.optional(z.string()), meaning: z.string() }),
          topics: objectList({ name: z.string(), description: z.string() }),
          error: required(z.record(z.string(), z.unknown()), 'JSON Schema of a failure'),
        }),
        'The whole command line',
      ),
      z.object({ skill: required(z.string(), 'SKILL.md for this version') }),
    ]),
  }
}

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
