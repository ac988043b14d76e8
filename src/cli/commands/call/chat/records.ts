import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { FaqRecord } from '../../../../files/formats/control-api.ts'
import { kinds } from '../../../../files/formats/kinds.ts'
import {
  type CheckedFile,
  InvalidInput,
  peekKnowledgeBaseId,
  projectFileName,
  readSource,
} from '../../../../files/source/index.ts'
import { hasErrors } from '../../../../interface/finding.ts'
import { CallyardError, describeFileError } from '../../../../lib/error.ts'
import { fieldExtensions, hasExtension } from '../../../../lib/fs/extension.ts'
import { sandboxJournal } from '../../../../lib/fs/user-folders.ts'
import { isObject } from '../../../../lib/json.ts'
import type { BaseChecker } from '../../../../project/apply/index.ts'
import type { ProjectAround } from '../../../../project/resources/index.ts'
import {
  createStore,
  loadRecordStore,
  type RecordEntry,
  type RecordStore,
} from '../../../../sandbox/index.ts'
import type { Context } from '../../../shell/context.ts'

export interface SandboxRecords {
  readonly store: RecordStore
  /** Journal file; empty if there is none. */
  readonly file: string
}

/** For a call that is made of files alone. */
export const noRecords: SandboxRecords = { store: createStore(), file: '' }

/**
 * Reads a copy of a sandbox's journal, also while that sandbox is running. Empty for a sandbox that never ran.
 * @throws CallyardError `invalid` if the file of --data is missing, unreadable or not a journal
 */
export async function readRecords(data: string | undefined, context: Context): Promise<SandboxRecords> {
  const file = data === undefined ? sandboxJournal(context.env) : context.resolve(data)
  const store = await loadRecordStore(file).catch((error: NodeJS.ErrnoException) => {
    if (data === undefined && error.code === 'ENOENT') return createStore()
    if (error instanceof CallyardError) throw error
    throw new CallyardError(
      'invalid',
      `cannot read the sandbox’s records ${file}: ${describeFileError(error)}`,
      {
        hint: 'pass the --data file of sandbox start, or remove --data',
      },
    )
  })
  return { store, file }
}

interface FoundKnowledge {
  readonly entry: RecordEntry
  /** Displayed names of the files of its entries. */
  readonly from: readonly string[]
}

/**
 * Returns the entries of these knowledge bases, without missing ones, for which it prints a warning. `file` is the absolute path of the
 * assistant's file; undefined for a record. `recordsFirst`: searches the records before the files.
 * @throws InvalidInput if a file is invalid
 */
export async function addKnowledge(
  ids: readonly string[],
  file: string | undefined,
  project: ProjectAround | undefined,
  {
    records,
    recordsFirst,
    bases,
  }: {
    readonly records: SandboxRecords
    readonly recordsFirst: boolean
    readonly bases: BaseChecker
  },
  context: Context,
): Promise<FoundKnowledge[]> {
  const knowledge: FoundKnowledge[] = []
  const paths = file === undefined || ids.length === 0 ? [] : await pathsAround(file, project)
  const files: CheckedFile[] = []
  for (const path of paths)
    if (bases.isChecked(path) || (await mayHoldEntries(path, ids, project, context)))
      files.push(await bases.check(path))
  for (const id of new Set(ids)) {
    const recordedBase = inRecords(id, records)
    const one = recordsFirst
      ? (recordedBase ?? inFiles(id, files, context))
      : (inFiles(id, files, context) ?? recordedBase)
    if (one !== undefined) knowledge.push(one)
    else {
      const where =
        records.file === '' ? 'in no file of this project' : 'neither in a file nor in the sandbox’s records'
      context.output.warn(
        `the knowledge base ${id} is ${where}; it is empty`,
        `a file with knowledgeBaseId: ${id} in knowledge-bases/ is read`,
      )
    }
  }
  return knowledge
}

function inRecords(knowledgeBaseId: string, { store, file }: SandboxRecords): FoundKnowledge | undefined {
  const base = store.knowledgeBase(knowledgeBaseId)
  if (base === undefined) return undefined
  return { entry: { kind: 'faq', knowledgeBaseId, entries: [...base.entries.values()] }, from: [file] }
}

/** Several files may hold entries of one knowledge base. @throws InvalidInput when one of them does not pass */
function inFiles(
  knowledgeBaseId: string,
  files: readonly CheckedFile[],
  { willSend }: Context,
): FoundKnowledge | undefined {
  const holding = files.filter(({ value }) => isObject(value) && value.knowledgeBaseId === knowledgeBaseId)
  const diagnostics = holding.flatMap(checked => checked.diagnostics)
  if (hasErrors(diagnostics)) throw new InvalidInput(diagnostics)
  if (holding.length === 0) return undefined
  for (const checked of holding) willSend(checked)
  const from = holding.map(({ source }) => source.file)
  return { entry: { kind: 'faq', knowledgeBaseId, entries: holding.flatMap(listEntries) }, from }
}

const fileSchema = z.object({
  faq: z.array(z.looseObject({ id: z.nullish(z.string()), question: z.string(), answer: z.string() })),
})

/** Returns the entries of a checked knowledge base in order. Entries without an id of the service get a reproducible one. */
export function listEntries({ body }: CheckedFile): FaqRecord[] {
  return fileSchema.parse(body).faq.map(({ id, ...content }) => ({
    ...content,
    id: id || `faq-${hash('sha256', content.question, 'hex').slice(0, 12)}`,
  }))
}

/** Files of the knowledge bases of the project, or of those next to the assistant's file. */
async function pathsAround(file: string, project: ProjectAround | undefined): Promise<string[]> {
  if (project === undefined) return filesAround(dirname(file))
  return [...project.files.values()].flatMap(({ kind, path }) => (kind === 'kb' ? [path] : []))
}

/** False for a file that names another knowledge base in its first lines. */
async function mayHoldEntries(
  path: string,
  ids: readonly string[],
  project: ProjectAround | undefined,
  { cwd }: Context,
): Promise<boolean> {
  const folder = project?.folder ?? dirname(path)
  if (project === undefined && !hasExtension(path, fieldExtensions)) return true
  const id = await peekKnowledgeBaseId(path, folder, () => readSource(join(folder, projectFileName), { cwd }))
  return id === undefined || ids.includes(id)
}

async function filesAround(folder: string): Promise<string[]> {
  const name = kinds['knowledge-base'].folder
  const folders = [join(dirname(folder), name), join(folder, name), folder]
  const fileLists = await Promise.all(
    folders.map(async base => {
      const names = await readdir(base).catch(() => [])
      return names
        .filter(file => hasExtension(file, fieldExtensions))
        .sort()
        .map(file => join(base, file))
    }),
  )
  return fileLists.flat()
}
