import { basename, dirname, join, resolve } from 'node:path'
import { findFiles } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import {
  assertNotStdin,
  extensionOf,
  isPath,
  withoutExtension,
  yamlExtensions,
} from '../../lib/fs/extension.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import type { CallDeps } from '../place/index.ts'
import { batchFolder, readBatchState } from './batch-journal.ts'
import { readBatchRecord } from './batch-record.ts'
import type { BatchState } from './state.ts'

/** Locations of a batch and its state. */
export interface LocatedBatch {
  readonly kind: 'batch' | 'list'
  readonly name: string
  /** Absolute path of the batch file or the list. */
  readonly path: string
  /** Folder of callyard.yaml; undefined without a project. */
  readonly projectFolder: string | undefined
  /** The same, or else that of the batch: it is found from any working folder. */
  readonly folder: string
  /** Absolute folder of its state. */
  readonly stateFolder: string
}

interface LocateOptions {
  /** Name under which its calls are recorded. Default: that of its file. */
  readonly name?: string | undefined
  /** True to find a batch of an earlier run by its name alone. */
  readonly useRecord: boolean
}

/**
 * Finds a batch by its file, list or name, without reading them.
 * @throws CallyardError `usage` for a name that is not found, `invalid` for a path
 */
export async function locateBatch(
  nameOrPath: string,
  { name: batchName, useRecord }: LocateOptions,
  deps: CallDeps,
): Promise<LocatedBatch> {
  const project = (await deps.settings()).project
  const projectFolder = project === undefined ? undefined : dirname(project.file)
  const match = await findBatch(nameOrPath, projectFolder, { useRecord, name: batchName }, deps)
  const { kind, path } = match
  const name = batchName ?? match.name ?? basename(withoutExtension(path))
  const folder = projectFolder ?? dirname(path)
  return { kind, name, path, projectFolder, folder, stateFolder: batchFolder(folder, name) }
}

interface LocatedState extends LocatedBatch {
  readonly state: BatchState
}

/**
 * Reads the calls of a batch without its file and its lists: they may be gone or broken.
 * @throws as locateBatch and readBatchState do
 */
export async function readLocatedState(
  nameOrPath: string,
  name: string | undefined,
  deps: CallDeps,
): Promise<LocatedState> {
  const located = await locateBatch(nameOrPath, { name, useRecord: true }, deps)
  return { ...located, state: await readBatchState(located.stateFolder) }
}

const listExtensions = ['.csv', '.tsv', '.txt', '.json', '.jsonl', '.ndjson']

interface FoundBatch {
  readonly kind: 'batch' | 'list'
  /** Name under which it was found. */
  readonly name?: string
  /** Absolute. */
  readonly path: string
}

/** @throws CallyardError `usage` if it is neither a file nor a name in the project, `invalid` for the path of a missing file and for `-` */
async function findBatch(
  nameOrPath: string,
  folder: string | undefined,
  { useRecord, name }: { readonly useRecord: boolean; readonly name: string | undefined },
  { cwd, files }: CallDeps,
): Promise<FoundBatch> {
  const atPath = foundAt(resolve(cwd, nameOrPath))
  if (atPath !== undefined) return atPath
  const batchFiles =
    folder === undefined
      ? []
      : (await findFiles([join(folder, 'batches')], files)).files.filter(({ kind }) => kind === 'batch')
  const nameOf = (file: string) => basename(withoutExtension(file))
  const named = batchFiles.find(batchFile => nameOf(batchFile.path) === nameOrPath)
  if (named !== undefined) return { kind: 'batch', path: named.path }
  const record = useRecord ? await readBatchRecord(batchFolder(folder ?? cwd, name ?? nameOrPath)) : undefined
  const recordedBatch = record && foundAt(record.file)
  if (recordedBatch !== undefined) return { ...recordedBatch, name: name ?? nameOrPath }
  assertNotStdin(nameOrPath)
  const names = batchFiles.map(batchFile => nameOf(batchFile.path))
  const near = didYouMean(nameOrPath, names)
  throw new CallyardError(
    isPath(nameOrPath) ? 'invalid' : 'usage',
    `batch ${JSON.stringify(nameOrPath)} not found`,
    {
      hint:
        near === undefined
          ? 'give a list (contacts.csv), a batch file (reminders.yaml), or the name of a file in batches/'
          : `did you mean ${near}?`,
    },
  )
}

function foundAt(path: string): FoundBatch | undefined {
  const extension = extensionOf(path)
  if (yamlExtensions.includes(extension)) return { kind: 'batch', path }
  return listExtensions.includes(extension) || extension.startsWith('.xls')
    ? { kind: 'list', path }
    : undefined
}
