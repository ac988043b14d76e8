export { type Access, accessBeyond, accessOf, accessToHosts, isNoAccess, joinAccess } from './access.ts'
export { type CheckedFile, type CheckFileOptions, checkFile, checkSource, located } from './check-file.ts'
export { anyConflictMarker } from './conflict-marker.ts'
export {
  byPosition,
  type CsvRecord,
  type CsvTable,
  type Diagnostic,
  InvalidInput,
  lineIndex,
  type Position,
  placeOf,
  type SourceHint,
} from './diagnostic.ts'
export {
  type FileRules,
  findFiles,
  findProjectFile,
  kindOf,
  projectFileName,
  variablesOf,
} from './find-files.ts'
export { displayName, readSource, type Source } from './read-source.ts'
export { maxOwnFileBytes, readText } from './read-text.ts'
export type { FoundResource } from './references.ts'
export { type ResourceReference, segmentsOf, type TemplateSegment } from './template.ts'
