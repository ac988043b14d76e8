import type { Argument, Option } from '@commander-js/extra-typings'
import { declared } from '../../shell/cli-command.ts'
import { type AnyCommand, type CandidateSource, Flag, Operand } from '../../shell/flags/flag.ts'
import { topicNames, topics } from '../../shell/help-topics.ts'
import { commandSchemaNames } from '../command-schemas.ts'
import type { CommandEntry, FlagEntry, Value, ValueSource } from './read-table.ts'

/** Declares the whole tree and returns the part of it that completion needs. */
export async function commandTable(root: AnyCommand): Promise<CommandEntry> {
  await declared(root, 'tree')
  return entryOf(root)
}

function entryOf(command: AnyCommand): CommandEntry {
  const helper = command.createHelp()
  const args = command.registeredArguments
  return {
    value: command.name(),
    description: command.summary() || command.description(),
    flags: helper.visibleOptions(command).map(option => flagEntry(option, command)),
    args: args.map(argument => ({
      isVariadic: argument.variadic,
      ...valuesOf(argument, argument.name(), command),
    })),
    commands: helper.visibleCommands(command).map(entryOf),
    ...(args.some(argument => sourcesOf(argument).includes('topics')) && {
      topics: [
        { value: 'topics', description: 'List the topics' },
        ...topicNames.map(name => ({ value: name, description: topics[name] })),
      ],
    }),
  }
}

function flagEntry(option: Option, command: AnyCommand): FlagEntry {
  const { short, long, description, required, optional, flags } = option
  const placeholder = /[<[](.+)[>\]]$/.exec(flags)?.[1]?.replace(/\.\.\.$/, '')
  return {
    names: [short, long].filter(name => name !== undefined),
    description,
    ...((required || optional) && { takesValue: optional ? 'optionally' : 'always' }),
    isRepeatable: option instanceof Flag && option.isRepeatable,
    ...(placeholder !== undefined && valuesOf(option, placeholder, command)),
  }
}

/**
 * Values of a flag or an argument. Without sources and choices, the placeholder tells: `file`, a list of paths, a folder. A single
 * `path` is that of a URL here.
 */
function valuesOf(item: Option | Argument, placeholder: string, command: AnyCommand): Value {
  const { argChoices, variadic } = item
  const sources = sourcesOf(item)
  const source = sources.find(isLookedUp)
  if (source !== undefined) return { source, ...(sources.includes('files') && files) }
  if (sources.includes('files')) return files
  if (sources.includes('command-schemas'))
    return { choices: [...(argChoices ?? []), ...commandSchemaNames(command.parent ?? command)] }
  if (argChoices !== undefined) return { choices: argChoices }
  if (item instanceof Flag && item.extensions.length > 0) return { ...files, extensions: item.extensions }
  if (placeholder.split('|').includes('file') || (placeholder === 'path' && variadic)) return files
  return /^(folder|directory|dir)$/.test(placeholder) ? { alsoTakes: 'folders' } : {}
}

const files = { alsoTakes: 'files' } as const

function sourcesOf(item: Option | Argument): readonly CandidateSource[] {
  return item instanceof Flag || item instanceof Operand ? item.sources : []
}

function isLookedUp(source: CandidateSource): source is ValueSource {
  return !['files', 'topics', 'command-schemas'].includes(source)
}
