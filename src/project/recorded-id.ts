import { isObject } from '../lib/json/is-object.ts'
import { checkFile } from '../source/index.ts'
import { type Address, kindOfAddress } from './address.ts'
import type { FindResource } from './load/file-in-project.ts'
import type { ResourceFile } from './load/find-resources.ts'
import { type OpenTarget, openTarget, type ProjectDeps, type TargetOptions } from './open-target.ts'

/** The id that stands for a file of a project at a target, or why it has none there. */
export type RecordedId =
  | {
      readonly text: string
      /** It came from the environment. */
      readonly concealed?: boolean
    }
  | {
      readonly why: 'not-deployed'
      readonly lockfile: string
      readonly target: string
      readonly address: Address
    }
  | { readonly why: 'no-knowledge-base-id'; readonly file: string }

/**
 * Finds ids by the lockfile; of a knowledge base by its own file. A project's lockfile is read when it is first needed, and
 * once.
 */
export function recordedIds(
  options: Pick<TargetOptions, 'target'>,
  deps: ProjectDeps,
): (file: ResourceFile, folder: string) => Promise<RecordedId> {
  const targets = new Map<string, Promise<OpenTarget>>()
  return async ({ address, path }, folder) => {
    if (kindOfAddress(address) === 'kb') return knowledgeBaseId(path, deps)
    const opened = targets.get(folder) ?? openTarget(folder, options, deps)
    targets.set(folder, opened)
    const { section, target, name } = await opened
    const id = section.resources[address]?.id
    return id === undefined
      ? { why: 'not-deployed', lockfile: name, target: target.name, address }
      : { text: id }
  }
}

/** What `${tool:name}` and its like stand for in a file that is sent by itself. */
export function recordedResource(options: Pick<TargetOptions, 'target'>, deps: ProjectDeps): FindResource {
  const idOf = recordedIds(options, deps)
  return async (file, { folder }) => {
    const found = await idOf(file, folder)
    if ('text' in found) return found
    if (found.why === 'no-knowledge-base-id') return { problem: `${found.file} names no knowledgeBaseId` }
    return {
      problem: `${found.lockfile} has no ${found.address} at target ${found.target}`,
      hint: `${applyCommand(options)} creates it there`,
    }
  }
}

/** The apply that goes to the same target, for a hint. */
function applyCommand({ target }: Pick<TargetOptions, 'target'>): string {
  return target === undefined ? 'callwright apply' : `callwright apply --target ${target}`
}

async function knowledgeBaseId(path: string, deps: ProjectDeps): Promise<RecordedId> {
  const vocabulary = (await deps.settings()).vocabulary.value
  const checked = await checkFile(path, 'knowledge-base', { ...deps.files, vocabulary })
  const { value, source, fromEnvironment } = checked
  const id = isObject(value) ? value.knowledgeBaseId : undefined
  if (typeof id !== 'string' || id === '') return { why: 'no-knowledge-base-id', file: source.file }
  const concealed = fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
  if (concealed) deps.willSend(checked)
  return { text: id, concealed }
}
