import { dirname, join, relative, sep } from 'node:path'
import { withoutExtension } from '../../lib/fs/extension.ts'
import { isObject } from '../../lib/json.ts'
import { kinds } from '../formats/kinds.ts'
import type { Diagnostic } from './diagnostic.ts'
import { type FileRules, findProjectFile } from './find-files.ts'
import { type ReadOptions, readSource, type Source } from './read-source.ts'

/** Returns the name of a file in `knowledge-bases/` of a project. */
export function knowledgeBaseName(path: string, folder: string): string {
  const inside = relative(join(folder, kinds['knowledge-base'].folder), path)
  return withoutExtension(inside).replaceAll(sep, '/')
}

/** Adds the id that `knowledgeBases:` of callyard.yaml gives to a table of entries, which has no place for it. */
export async function withIdOfProject(source: Source, rules: FileRules): Promise<Source> {
  const file = await findProjectFile(dirname(source.path), rules)
  if (file === undefined || !isObject(source.value)) return source
  const { value } = await readSource(file, { cwd: rules.cwd })
  const ids = isObject(value) && isObject(value.knowledgeBases) ? value.knowledgeBases : {}
  const name = knowledgeBaseName(source.path, dirname(file))
  if (!Object.hasOwn(ids, name)) return source
  return { ...source, value: { knowledgeBaseId: ids[name], ...source.value } }
}

/** The path in `entries:` of a knowledge base, whose table has its entries. */
export function entriesPath({ value }: Source): string | undefined {
  const path = isObject(value) && !Object.hasOwn(value, 'faq') ? value.entries : undefined
  return typeof path === 'string' && path !== '' ? path : undefined
}

/**
 * Reads the table that a knowledge base names, with the id of the knowledge base. Findings are those of the table; one of the whole table
 * is at its name.
 */
export async function readEntriesTable(
  source: Source,
  options: ReadOptions,
): Promise<{ readonly source: Source; readonly diagnostics: readonly Diagnostic[] }> {
  const file = entriesPath(source) ?? ''
  const { knowledgeBaseId, encoding } = isObject(source.value) ? source.value : {}
  const table = await readSource(file, {
    ...options,
    encoding: typeof encoding === 'string' ? encoding : undefined,
    encodingHint: 'set encoding next to entries, or save the table as UTF-8',
  })
  const value = isObject(table.value)
    ? { ...(knowledgeBaseId !== undefined && { knowledgeBaseId }), ...table.value }
    : undefined
  const at = { file: source.file, position: source.positionOf(['entries'], 'value') }
  const isTable = table.format === 'csv' || table.value === undefined
  const diagnostics = isTable ? table.diagnostics : [{ ...notATable, ...at }]
  return {
    source: { ...table, value: isTable ? value : undefined },
    diagnostics: diagnostics.map(diagnostic =>
      diagnostic.position === undefined
        ? { ...diagnostic, ...at, message: `${file}: ${diagnostic.message}` }
        : diagnostic,
    ),
  }
}

const notATable: Diagnostic = {
  ...{ code: 'wrong-format', severity: 'error', path: ['entries'], at: 'value', file: '' },
  message: 'entries must name a CSV file',
  hint: 'entries in YAML or JSON belong to faq of this file',
}
