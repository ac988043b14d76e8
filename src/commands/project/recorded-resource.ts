import type { Context } from '../../cli/context.ts'
import { isObject } from '../../lib/json/is-object.ts'
import { kindOfAddress } from '../../project/address.ts'
import type { FindResource } from '../../project/load/file-in-project.ts'
import { readLockfile, type Section } from '../../project/lockfile/lockfile.ts'
import { checkFile } from '../../source/index.ts'
import { applyCommand, lockfilePlace, type ProjectOptions } from './open-project.ts'
import { openSection } from './open-section.ts'

interface KnownTarget {
  readonly section: Section
  readonly target: string
  /** The lockfile, as people see it. */
  readonly name: string
}

/**
 * What `${tool:name}` and its like stand for in a file that is sent by itself: the id that the lockfile has for the target;
 * for a knowledge base the id that its own file names. A project's lockfile is read when it is first needed, and once.
 */
export function recordedResource(options: Pick<ProjectOptions, 'target'>, context: Context): FindResource {
  const targets = new Map<string, Promise<KnownTarget>>()
  return async ({ address, path }, { folder }) => {
    if (kindOfAddress(address) === 'kb') return knowledgeBaseId(path, context)
    const known = targets.get(folder) ?? readTarget(folder, options, context)
    targets.set(folder, known)
    const { section, target, name } = await known
    const id = section.resources[address]?.id
    if (id !== undefined) return { text: id }
    return {
      problem: `${name} has no ${address} at target ${target}`,
      hint: `${applyCommand(options)} creates it there`,
    }
  }
}

/** What the lockfile of a project has for the target. @throws CliError `conflict` when it has another base URL for it. */
export async function readTarget(
  folder: string,
  options: Pick<ProjectOptions, 'target'>,
  context: Context,
): Promise<KnownTarget> {
  const { path, name } = lockfilePlace(folder, context)
  const { lockfile } = await readLockfile(path, name)
  const { section, target } = await openSection(lockfile, options, context)
  return { section, target: target.name, name }
}

async function knowledgeBaseId(path: string, context: Context): ReturnType<FindResource> {
  const vocabulary = (await context.settings()).vocabulary.value
  const checked = await checkFile(path, 'knowledge-base', { ...context.files, vocabulary })
  const { value, source, fromEnvironment } = checked
  const id = isObject(value) ? value.knowledgeBaseId : undefined
  if (typeof id !== 'string' || id === '') return { problem: `${source.file} names no knowledgeBaseId` }
  const concealed = fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
  if (concealed) context.willSend(checked)
  return { text: id, concealed }
}
