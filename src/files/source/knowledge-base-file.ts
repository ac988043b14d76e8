import { dirname, join, relative, sep } from 'node:path'
import { fieldExtensions, hasExtension, withoutExtension } from '../../lib/fs/extension.ts'
import { isObject, isText } from '../../lib/json.ts'
import { kinds } from '../formats/kinds.ts'
import type { Diagnostic } from './diagnostic.ts'
import { type FileRules, findProjectFile } from './find-files.ts'
import { type ReadOptions, readSource, type Source } from './read-source.ts'
import { readStart } from './read-text.ts'

/** Returns the name of a file in `knowledge-bases/` of a project. */
export function knowledgeBaseName(path: string, folder: string): string {
  const inside = relative(join(folder, kinds['knowledge-base'].folder), path)
  return withoutExtension(inside).replaceAll(sep, '/')
}

/** Reads callyard.yaml of a project. */
export type ReadProjectFile = () => Promise<Source>

/** Adds the id that `knowledgeBases:` of callyard.yaml gives to a table of entries, which has no place for it. */
export async function withIdOfProject(
  source: Source,
  { readProjectFile, ...rules }: FileRules & { readonly readProjectFile?: ReadProjectFile | undefined },
): Promise<Source> {
  const file = await findProjectFile(dirname(source.path), rules)
  if (file === undefined || !isObject(source.value)) return source
  const ids = tableIds(await (readProjectFile?.() ?? readSource(file, { cwd: rules.cwd })))
  const name = knowledgeBaseName(source.path, dirname(file))
  if (!Object.hasOwn(ids, name)) return source
  return { ...source, value: { knowledgeBaseId: ids[name], ...source.value } }
}

function tableIds({ value }: Source): Readonly<Record<string, unknown>> {
  return isObject(value) && isObject(value.knowledgeBases) ? value.knowledgeBases : {}
}

/**
 * Returns the id of a knowledge base in a project whose file begins with it, as files that people write do, or that is a table. Reads only
 * the first lines. Undefined if the whole file has to be read.
 */
export async function peekKnowledgeBaseId(
  path: string,
  folder: string,
  readProjectFile: ReadProjectFile,
): Promise<string | undefined> {
  if (!hasExtension(path, fieldExtensions)) {
    const id = tableIds(await readProjectFile())[knowledgeBaseName(path, folder)]
    return isText(id) && !id.includes('$') ? id : undefined
  }
  const start = readStart(path, maxPeekBytes) ?? ''
  const [, quoted, plain] = firstBlockField.exec(start) ?? firstJsonField.exec(start) ?? []
  return quoted ?? plain
}

const maxPeekBytes = 4096
/** Without escapes and placeholders. The next line begins a field, so that a plain text ends before it. */
const firstBlockField =
  /^\ufeff?(?:[ \t]*(?:#[^\n]*)?\r?\n)*knowledgeBaseId: *(?:"([^"\\$\r\n]+)"|([A-Za-z][\w.-]*)) *\r?\n(?=[A-Za-z])/
const firstJsonField = /^\ufeff?\s*\{\s*"knowledgeBaseId"\s*:\s*"([^"\\$]+)"/

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
