import { dirname } from 'node:path'
import type { Context } from '../../../context.ts'
import { CliError } from '../../../errors.ts'
import { didYouMean } from '../../../interface/did-you-mean.ts'
import { findResources } from '../../../project/load/find-resources.ts'
import { displayName } from '../../../source/read-source.ts'
import { readRecords, type SandboxRecords } from './records.ts'

/** The assistant of a chat: one of a file, or one of the sandbox's records. */
export type ChosenAssistant = { readonly file: string } | { readonly assistantId: string }

export interface ChooseOptions {
  readonly assistantId?: string | undefined
  readonly data?: string | undefined
}

/**
 * The assistant that is given; else the project's own, which a person chooses where there are several; else, outside of a
 * project or with --data, the newest of the sandbox's records.
 * @throws CliError `usage` when none is given, or none is known by the id
 */
export async function chooseAssistant(
  file: string | undefined,
  { assistantId, data }: ChooseOptions,
  context: Context,
): Promise<ChosenAssistant> {
  if (file !== undefined && assistantId !== undefined) {
    throw new CliError('usage', 'a file and --assistant-id are both given', { hint: 'leave one of them out' })
  }
  if (file !== undefined) return { file }
  const { project } = await context.settings()
  if (assistantId === undefined && data === undefined && project !== undefined)
    return { file: await assistantOfProject(dirname(project.file), context) }
  const records = await readRecords(data, context)
  return { assistantId: assistantId === undefined ? newest(records) : known(assistantId, records) }
}

async function assistantOfProject(
  folder: string,
  { cwd, prompts }: Pick<Context, 'cwd' | 'prompts'>,
): Promise<string> {
  const { files } = await findResources(folder, cwd)
  const names = files.flatMap(({ kind, path }) => (kind === 'assistant' ? [displayName(path, cwd)] : []))
  const [only] = names
  if (only === undefined) {
    throw new CliError('usage', 'this project has no assistant', {
      hint: 'write one into assistants/, or give --assistant-id for one of the sandbox’s records',
    })
  }
  if (names.length === 1) return only
  if (prompts.available) return prompts.select({ message: 'Assistant', flag: '[assistant]', choices: names })
  const shown = names.slice(0, maxNamed).join(', ')
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  throw new CliError('usage', `this project has ${names.length} assistants, and none is given`, {
    hint: `callwright call chat ${only}; there are ${shown}${more}`,
  })
}

const maxNamed = 8

function newest({ store }: SandboxRecords): string {
  const found = store.newestAssistant()
  if (found !== undefined) return found._id
  throw new CliError('usage', 'no assistant is given, and the sandbox’s records hold none', {
    hint: 'give a file: callwright call chat assistants/front-desk.yaml',
  })
}

function known(id: string, { store, entries, file }: SandboxRecords): string {
  if (store.assistant(id) !== undefined) return id
  const ids = entries.flatMap(entry => (entry.kind === 'assistant' ? [entry.record._id] : []))
  const meant = didYouMean(id, ids)
  throw new CliError(
    'usage',
    `there is no assistant ${JSON.stringify(id)} in the sandbox’s records ${file}`,
    {
      hint:
        meant === undefined
          ? 'give a file, or the _id that assistant create printed'
          : `did you mean ${meant}?`,
    },
  )
}
