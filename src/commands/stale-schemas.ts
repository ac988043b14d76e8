import { join } from 'node:path'
import type { Vocabulary } from '../interface/vocabulary.ts'
import type { KindName } from '../interface/words.ts'
import { type Diagnostic, displayName } from '../source/index.ts'
import { projectKinds, readIfThere, schemaPath } from './project-schemas.ts'

/** A warning for each schema of a project that `callwright schema --write` would change. Other files in `schemas/` are ignored. */
export async function staleSchemas(folder: string, vocabulary: Vocabulary, cwd: string) {
  const found = await Promise.all(
    projectKinds.map(async (kind): Promise<Diagnostic[]> => {
      const path = join(folder, schemaPath(kind))
      const text = await readIfThere(path).catch(() => undefined)
      const isOwn = text?.includes(`"urn:callwright:schema:${kind}"`) === true
      if (!isOwn || (await isCurrent(text, kind, vocabulary))) return []
      const warning = {
        code: 'stale-schema',
        severity: 'warning',
        path: [],
        at: 'value',
        message: 'the schema is out of date',
        hint: 'run callwright schema --write',
      } as const
      return [{ file: displayName(path, cwd), ...warning }]
    }),
  )
  return found.flat()
}

/** Compares with the schema of the package first: generating one takes longer than checking a file. Layout does not count. */
async function isCurrent(text: string, kind: KindName, vocabulary: Vocabulary): Promise<boolean> {
  if (Object.keys(vocabulary).length === 0) {
    // In the bundle only: dist/schemas, next to dist/chunks.
    const packaged = join(import.meta.dirname, '..', schemaPath(kind))
    if ((await readIfThere(packaged)) === text) return true
  }
  const current = (await import('./write-schemas.ts')).schemaFile(kind, vocabulary)
  return text === current || compact(text) === compact(current)
}

function compact(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return json
  }
}
