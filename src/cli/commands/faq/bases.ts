import { dirname } from 'node:path'
import type { FaqRecord } from '../../../files/formats/control-api.ts'
import { type CheckedFile, displayName } from '../../../files/source/index.ts'
import { isObject } from '../../../lib/json.ts'
import type { CheckResourceOptions } from '../../../project/apply/index.ts'
import { findResources } from '../../../project/resources/index.ts'
import type { Context } from '../../shell/context.ts'
import { listEntries } from '../call/chat/records.ts'
import { checkResourceInProject } from '../resolve-args.ts'

/** The files of the project's knowledge bases, as people see the names; undefined outside of a project. */
export async function filesOfProject(context: Context): Promise<string[] | undefined> {
  const { project } = await context.settings()
  if (project === undefined) return undefined
  const { files } = await findResources(dirname(project.file), context.cwd)
  const bases = [...files.values()].filter(({ kind }) => kind === 'kb')
  return bases.map(({ path }) => displayName(path, context.cwd))
}

/**
 * The entries of files with their places, by the knowledge bases that they belong to: several files may hold entries of one.
 * @throws InvalidInput when a file does not pass
 */
export async function readBases(files: readonly string[], options: CheckResourceOptions, context: Context) {
  const bases = new Map<string, FaqRecord[]>()
  const locations = new Map<FaqRecord, { readonly checked: CheckedFile; readonly index: number }>()
  for (const file of files) {
    const { checked } = await checkResourceInProject(file, 'knowledge-base', options, context)
    const { body, source } = checked
    const named = isObject(body) && typeof body.knowledgeBaseId === 'string' ? body.knowledgeBaseId : ''
    // A file without an id is a knowledge base of its own.
    const base = named || source.path
    const entries = listEntries(checked)
    for (const [index, entry] of entries.entries()) locations.set(entry, { checked, index })
    bases.set(base, [...(bases.get(base) ?? []), ...entries])
  }
  return {
    size: locations.size,
    all: Array.from(bases, ([knowledgeBaseId, entries]) => ({
      kind: 'faq' as const,
      knowledgeBaseId,
      entries,
    })),
    locationOf(entry: FaqRecord) {
      const location = locations.get(entry)
      const line = location?.checked.source.positionOf(['faq', location.index], 'value')?.line
      return { file: location?.checked.source.file ?? '', ...(line !== undefined && { line }) }
    },
  }
}

/** Rounds a search score to three digits. */
export function roundScore(score: number): number {
  return Math.round(score * 1000) / 1000
}
