import { access, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { findProjectFile } from '../../files/source/index.ts'
import type { KindName } from '../../interface/words.ts'
import { getErrorCode } from '../../lib/error.ts'
import type { Context } from '../shell/context.ts'

/** Kinds of project files that have a schema in `schemas/`. */
export const projectKinds = [
  'assistant',
  'tool',
  'knowledge-base',
  'overrides',
  'test',
  'batch',
  'guard',
  'project',
] as const satisfies readonly KindName[]

/** Path of a kind's schema, relative to the project. */
export function schemaPath(kind: KindName): string {
  return `schemas/${kind}.schema.json`
}

/**
 * Adds the comment that names the schema to editors, if the project of the new YAML file has that schema.
 * @param file where it will be written, relative to the working folder
 */
export async function withModeline(
  yaml: string,
  file: string,
  kind: KindName,
  { resolve, files }: Context,
): Promise<string> {
  const folder = dirname(resolve(file))
  const project = await findProjectFile(folder, files)
  if (project === undefined) return yaml
  const schema = join(dirname(project), schemaPath(kind))
  const exists = await access(schema).then(
    () => true,
    () => false,
  )
  if (!exists) return yaml
  const path = relative(folder, schema).replaceAll(sep, '/')
  return `# yaml-language-server: $schema=${path.startsWith('.') ? path : `./${path}`}\n${yaml}`
}

/** @throws system errors, except for a file that does not exist */
export async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(error => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  })
}
