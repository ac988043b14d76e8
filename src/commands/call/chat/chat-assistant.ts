import { dirname } from 'node:path'
import type { Context } from '../../../cli/context.ts'
import { CallwrightError } from '../../../lib/error.ts'
import { beginningHint, findByBeginning } from '../../../lib/text/find-by-beginning.ts'
import { findNamed, findResources } from '../../../project/index.ts'
import { displayName } from '../../../source/index.ts'
import { askedId } from '../../project/in-project.ts'
import { readRecords, type SandboxRecords } from './records.ts'

/** The assistant of a chat: one of a file, or one of the sandbox's records. */
export type ChatAssistant = { readonly file: string } | { readonly assistantId: string }

export interface ChooseOptions {
  readonly assistantId?: string | undefined
  readonly data?: string | undefined
}

/**
 * The assistant that is given, by a file, its name in the project, or an id of the sandbox's records; else the project's own,
 * which a person chooses where there are several; else, outside of a project or with --data, the newest of the records.
 * @throws CliError `usage` when none is given, or none is known by what is given
 */
export async function chooseChatAssistant(
  asked: string | undefined,
  { assistantId, data }: ChooseOptions,
  context: Context,
): Promise<ChatAssistant> {
  if (asked !== undefined && assistantId !== undefined) {
    throw new CallwrightError('usage', `${asked} and --assistant-id are both given`, {
      hint: 'leave one of them out',
    })
  }
  if (asked !== undefined) return assistantOf(asked, data, context)
  const { project } = await context.settings()
  if (assistantId === undefined && data === undefined && project !== undefined)
    return { file: await assistantOfProject(dirname(project.file), context) }
  const records = await readRecords(data, context)
  if (assistantId === undefined) return { assistantId: newest(records) }
  const id = await askedId({ text: assistantId, kind: 'assistant', idFlag }, {}, context)
  return { assistantId: known(id, records) }
}

const idFlag = '--assistant-id'

/** What a file of the project was deployed as is answered by the file, as it is now. */
async function assistantOf(text: string, data: string | undefined, context: Context): Promise<ChatAssistant> {
  const found = await findNamed({ text, kind: 'assistant', idFlag }, {}, context)
  if (found.by === 'file') return { file: found.file }
  if (found.resource !== undefined) return { file: displayName(found.resource.path, context.cwd) }
  return { assistantId: known(found.by === 'id' ? found.id : text, await readRecords(data, context)) }
}

async function assistantOfProject(
  folder: string,
  { cwd, prompts }: Pick<Context, 'cwd' | 'prompts'>,
): Promise<string> {
  const { files } = await findResources(folder, cwd)
  const names = files.flatMap(({ kind, path }) => (kind === 'assistant' ? [displayName(path, cwd)] : []))
  const [only] = names
  if (only === undefined) {
    throw new CallwrightError('usage', 'this project has no assistant', {
      hint: 'write one into assistants/, or give --assistant-id for one of the sandbox’s records',
    })
  }
  if (names.length === 1) return only
  if (prompts.available) return prompts.select({ message: 'Assistant', flag: '[assistant]', choices: names })
  const shown = names.slice(0, maxNamed).join(', ')
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  throw new CallwrightError('usage', `this project has ${names.length} assistants, and none is given`, {
    hint: `callwright call chat ${only}; there are ${shown}${more}`,
  })
}

const maxNamed = 8

function newest({ store }: SandboxRecords): string {
  const found = store.newestAssistant()
  if (found !== undefined) return found._id
  throw new CallwrightError('usage', 'no assistant is given, and the sandbox’s records hold none', {
    hint: 'give a file: callwright call chat assistants/front-desk.yaml',
  })
}

/** By the whole id, or a unique beginning of it. */
function known(text: string, { entries, file }: SandboxRecords): string {
  const ids = new Set(entries.flatMap(entry => (entry.kind === 'assistant' ? [entry.record._id] : [])))
  const found = findByBeginning(text, [...ids], id => id)
  if (found.kind === 'found') return found.item
  const hint = beginningHint(found, id => id) ?? 'give a file, or the _id that assistant create printed'
  const name = JSON.stringify(text)
  throw new CallwrightError(
    'usage',
    found.kind === 'missing'
      ? `there is no assistant ${name} in the sandbox’s records ${file}`
      : `several assistants of the sandbox’s records ${file} begin with ${name}`,
    { hint },
  )
}
