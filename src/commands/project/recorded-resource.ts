import type { Context } from '../../context.ts'
import { isObject } from '../../interface/is-object.ts'
import { kindOfAddress } from '../../project/address.ts'
import type { FindResource } from '../../project/load/file-in-project.ts'
import { readLockfile } from '../../project/lockfile/lockfile.ts'
import { sectionOf } from '../../project/lockfile/target.ts'
import { checkFile } from '../../source/check-file.ts'
import { lockfilePlace, projectTarget } from './open-project.ts'

/**
 * What `${tool:name}` and its like stand for in a file that is sent by itself: the id that the lockfile has for the target;
 * for a knowledge base the id that its own file names.
 */
export function recordedResource(context: Context): FindResource {
  return async ({ address, path }, { folder }) => {
    if (kindOfAddress(address) === 'kb') return knowledgeBaseId(path, context)
    const place = lockfilePlace(folder, context)
    const { lockfile } = await readLockfile(place.path, place.name)
    const target = await projectTarget({}, context)
    const id = sectionOf(lockfile, target).resources[address]?.id
    if (id !== undefined) return { text: id }
    return {
      problem: `${place.name} has no ${address} at target ${target.name}`,
      hint: 'callwright apply creates it there',
    }
  }
}

async function knowledgeBaseId(path: string, context: Context): ReturnType<FindResource> {
  const { cwd, env } = context
  const vocabulary = (await context.settings()).vocabulary.value
  const { value, source, fromEnvironment } = await checkFile(path, 'knowledge-base', { cwd, env, vocabulary })
  const id = isObject(value) ? value.knowledgeBaseId : undefined
  if (typeof id !== 'string' || id === '') return { problem: `${source.file} names no knowledgeBaseId` }
  return { text: id, concealed: fromEnvironment.some(([field]) => field === 'knowledgeBaseId') }
}
