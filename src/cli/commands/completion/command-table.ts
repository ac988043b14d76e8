import type { Option } from '@commander-js/extra-typings'
import { declared } from '../../shell/cli-command.ts'
import { type AnyCommand, Flag } from '../../shell/flags/flag.ts'
import { topicNames, topics } from '../../shell/help-topics.ts'
import { methods } from '../api.ts'
import { commandSchemaNames } from '../command-schemas.ts'
import type { CommandEntry, FlagEntry, Value } from './read-table.ts'

/** Declares the whole tree and returns the part of it that completion needs. */
export async function commandTable(root: AnyCommand): Promise<CommandEntry> {
  await declared(root, 'tree')
  return entryOf(root, '')
}

function entryOf(command: AnyCommand, path: string): CommandEntry {
  const helper = command.createHelp()
  return {
    value: command.name(),
    description: command.summary() || command.description(),
    flags: helper.visibleOptions(command).map(flagEntry),
    args: command.registeredArguments.map(argument => ({
      isVariadic: argument.variadic,
      ...valueAt(`${path} ${argument.name()}`, argument.name(), argument),
      ...(path === 'schema' && {
        choices: [...(argument.argChoices ?? []), ...commandSchemaNames(command.parent ?? command)],
      }),
    })),
    commands: helper
      .visibleCommands(command)
      .map(child => entryOf(child, `${path} ${child.name()}`.trimStart())),
    ...(path === 'help' && {
      topics: [
        { value: 'topics', description: 'List the topics' },
        ...topicNames.map(name => ({ value: name, description: topics[name] })),
      ],
    }),
  }
}

function flagEntry(option: Option): FlagEntry {
  const { short, long, description, required, optional, flags } = option
  const placeholder = /[<[](.+)[>\]]$/.exec(flags)?.[1]?.replace(/\.\.\.$/, '')
  return {
    names: [short, long].filter(name => name !== undefined),
    description,
    ...((required || optional) && { takesValue: optional ? 'optionally' : 'always' }),
    isRepeatable: option instanceof Flag && option.isRepeatable,
    ...(placeholder !== undefined && valueAt(long ?? '', placeholder, option)),
  }
}

/** Values that choices and placeholders do not tell, by flag, or by the path and name of an argument. */
const known: Readonly<Record<string, Value>> = {
  '--profile': { source: 'profile' },
  'profile show name': { source: 'profile' },
  'profile use name': { source: 'profile' },
  'profile set-key name': { source: 'profile' },
  'profile protect name': { source: 'profile' },
  'profile unprotect name': { source: 'profile' },
  'profile remove name': { source: 'profile' },
  '--target': { source: 'target' },
  '--adopt': { source: 'adopt' },
  '--forget': { source: 'forget' },
  '--assistant': { source: 'assistant', alsoTakes: 'files' },
  'call chat assistant': { source: 'assistant', alsoTakes: 'files' },
  '--assistant-id': { source: 'assistant-id' },
  'tool update id': { source: 'tool' },
  'tool try file': { source: 'tool', alsoTakes: 'files' },
  'faq ask knowledge-bases': { source: 'kb', alsoTakes: 'files' },
  '--kb': { source: 'kb' },
  '--fault': { source: 'fault' },
  '--fault-http': { source: 'fault-http' },
  '--forward': { source: 'forward' },
  'apply plan': { alsoTakes: 'files' },
  'api METHOD': { choices: methods },
}

/** Keys of `known`, for a test that each of them exists. */
export const knownPlaces = Object.keys(known)

/**
 * The values of a flag (`--target`) or an argument (`apply plan`). Its placeholder tells of files; a single `path` is the
 * path of a URL here, only a list of paths means files.
 */
function valueAt(
  place: string,
  placeholder: string,
  { argChoices, variadic }: Pick<Option, 'argChoices' | 'variadic'>,
): Value {
  if (Object.hasOwn(known, place)) return known[place] ?? {}
  if (argChoices !== undefined) return { choices: argChoices }
  if (placeholder.split('|').includes('file') || (placeholder === 'path' && variadic)) {
    return { alsoTakes: 'files' }
  }
  return /^(folder|directory|dir)$/.test(placeholder) ? { alsoTakes: 'folders' } : {}
}
