/** YAML, JSON and CSV files as values with positions; `${env:…}` and `${file:…}`; findings with file, line and column. */
export {
  type CheckedFile,
  type CheckFileOptions,
  checkFile,
  checkSource,
  toDiagnostics,
} from './check-file.ts'
export { findConflictMarker } from './conflict-marker.ts'
export {
  type Diagnostic,
  formatLocation,
  InvalidInput,
} from './diagnostic.ts'
export { fileHints } from './file-hints.ts'
export {
  type FileRules,
  findFiles,
  findProjectFile,
  inferKind,
  projectFileName,
  templateVariables,
} from './find-files.ts'
export { entriesPath, peekKnowledgeBaseId } from './knowledge-base-file.ts'
export type { Table, TableOptions } from './open-table.ts'
export { displayName, readSource, type Source } from './read-source.ts'
export { readText } from './read-text.ts'
export type { ResourceLookup } from './references.ts'
export { parseTemplate, type ResourceReference, type TemplateSegment } from './template.ts'

/** Loads the parser of JSON with positions. */
export const loadJsonParser = async () => (await import('./parse-yaml.ts')).parseJsonFile

/** Loads the reader of tables with any columns, which only batches need. */
export const loadTables = () => import('./open-table.ts')
