import { join } from 'node:path'
import { type Diagnostic, displayName } from '../../files/source/index.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { KindName } from '../../interface/words.ts'
import { projectKinds, readIfThere, schemaPath } from './project-schemas.ts'

/** Warns about each schema of a project that `callyard schema --write` would change. Ignores other files in `schemas/`. */
export async function staleSchemas(folder: string, vocabulary: Vocabulary, cwd: string) {
  const diagnosticLists = await Promise.all(
    projectKinds.map(async (kind): Promise<Diagnostic[]> => {
      const path = join(folder, schemaPath(kind))
      const text = await readIfThere(path).catch(() => undefined)
      const isOwn = text?.includes(`"urn:callyard:schema:${kind}"`) === true
      if (!isOwn || (await isCurrent(text, kind, vocabulary))) return []
      const warning = {
        code: 'stale-schema',
        severity: 'warning',
        path: [],
        at: 'value',
        message: 'the schema is out of date',
        hint: 'run callyard schema --write',
      } as const
      return [{ file: displayName(path, cwd), ...warning }]
    }),
  )
  return diagnosticLists.flat()
}

/** Compares with the packaged schema first, because generating one takes longer than checking a file. Formatting is ignored. */
async function isCurrent(text: string, kind: KindName, vocabulary: Vocabulary): Promise<boolean> {
  if (Object.keys(vocabulary).length === 0) {
    // Exists only in the bundle: dist/schemas, next to dist/chunks.
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
