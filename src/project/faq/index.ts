/** Entries of a knowledge-base file (FAQ): pushed in batches, and their ids written back into the file, also after a kill. */
export {
  entriesAt,
  type FileEntry,
  forgottenKeys,
  getKnowledgeBaseId,
  missingIdSlots,
  type PushPlan,
  planFile,
  readEntries,
} from './entries.ts'
export { nothingSent, storedAs, type UnknownEntry } from './errors.ts'
export type { BatchOptions, PushEvents, PushJob, PushTools } from './push-batch.ts'
export { type PushResult, placedIds, previewPush, pushEntries, pushedEntries } from './push-entries.ts'
export { type BatchId, type OpenEntry, parseBatchIds, recover } from './recover.ts'
export { openSplice } from './splice.ts'
export { openSplicedFile } from './spliced-file.ts'
