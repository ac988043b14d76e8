import { stat } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { chooseAssistant, findUsedVariables, type Warning } from '../calls/index.ts'
import { type BatchFile, batchSchema } from '../interface/batch.ts'
import { check } from '../interface/check.ts'
import type { FieldPath } from '../interface/finding.ts'
import { CallwrightError } from '../lib/error.ts'
import { isObject } from '../lib/json.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import {
  type CheckedFile,
  checkFile,
  type Diagnostic,
  displayName,
  findFiles,
  loadListReader,
} from '../source/index.ts'
import { batchFolder, readBatchState } from './batch-journal.ts'
import { readBatchNumbers } from './batch-numbers.ts'
import { type BatchRecord, readBatchRecord } from './batch-record.ts'
import { collectNumbers, readOwnList } from './do-not-call.ts'
import type { PlanInput } from './plan.ts'
import type { BatchState } from './state.ts'

type CallDeps = Parameters<typeof chooseAssistant>[1]
type AssistantOptions = Parameters<typeof chooseAssistant>[0]
type ChosenAssistant = Awaited<ReturnType<typeof chooseAssistant>>

/** Settings of a batch that are given beside its file. */
export type BatchSettings = Partial<BatchFile>

/** Options of opening a batch. */
export interface OpenBatchOptions extends Omit<AssistantOptions, 'assistant' | 'assistantId'> {
  /** Name of the batch, under which its calls are recorded. Default: that of its file. */
  readonly name?: string | undefined
  /** True to use the settings of the last run, and to find a batch by its name alone. */
  readonly useRecord?: boolean | undefined
  /** Lists in the folder of the batch that are read too. */
  readonly moreLists?: readonly string[]
}

/** A batch with everything that it names read, ready to be planned. */
export interface OpenBatch extends Omit<PlanInput, 'now' | 'isRunning'> {
  readonly name: string
  /** Absolute path of the batch file or the list. */
  readonly path: string
  /** Folder of callwright.yaml, or else of the batch: that of the do-not-call list. */
  readonly folder: string
  /** Absolute folder of what the batch file names. */
  readonly baseFolder: string
  readonly state: BatchState
  /** The last run; undefined before the first one. */
  readonly record: BatchRecord | undefined
  /** Absolute folder of its state. */
  readonly stateFolder: string
  /** Undefined for the default assistant of the number. */
  readonly assistant: ChosenAssistant | undefined
  /** Errors that prevent the whole batch. */
  readonly problems: readonly Diagnostic[]
  readonly warnings: readonly Warning[]
  /** The batch file, whose variables are sent. */
  readonly checked: readonly CheckedFile[]
  /** Settings that flags gave, now or in the last run. */
  readonly settings: BatchSettings
  /** Paths of fields whose values come from the environment. */
  readonly secretFields: readonly FieldPath[]
  /** Variables whose values come from the environment. */
  readonly secretVariables: readonly string[]
}

const batchExtensions = ['.yaml', '.yml']
const listExtensions = ['.csv', '.tsv', '.txt', '.json', '.jsonl', '.ndjson']

/**
 * Opens a batch by its file, by its name in `batches/` of the project, or as a list of people with settings. The settings replace those
 * of the file. Reads everything that the batch names; sends nothing.
 * @throws CallwrightError `usage` for a batch that is not found, for invalid settings and as chooseAssistant does
 */
export async function openBatch(
  asked: string,
  settings: BatchSettings,
  { name: given, useRecord = false, moreLists = [], ...options }: OpenBatchOptions,
  deps: CallDeps,
): Promise<OpenBatch> {
  const project = (await deps.settings()).project
  const folder = project === undefined ? undefined : dirname(project.file)
  const found = await findBatch(asked, folder, { useRecord, name: given }, deps)
  const name = given ?? found.name ?? basename(found.path, extname(found.path))
  // Without a project, next to the batch: it is found from any working folder.
  const ownFolder = folder ?? dirname(found.path)
  const stateFolder = batchFolder(ownFolder, name)
  const record = await readBatchRecord(stateFolder)
  const all = useRecord && record !== undefined ? { ...record.settings, ...settings } : settings
  const read =
    found.kind === 'batch'
      ? await readBatchFile(found.path, all, options, deps)
      : { batch: mergeSettings({ list: found.path }, all), problems: [], checked: [], place: asked }
  const { batch, problems, checked, place } = read
  const includedBy =
    found.kind === 'batch'
      ? {
          includingFile: found.path,
          folder: folder ?? dirname(found.path),
          allowOutsideFiles: deps.files.allowOutsideFiles === true,
        }
      : undefined
  const { readList } = await loadListReader()
  const readLists = (files: readonly string[]) =>
    Promise.all(files.map(file => readList(file, { cwd: deps.cwd, includedBy })))
  const state = await readBatchState(stateFolder)
  const secretFields = checked.flatMap(({ fromEnvironment }) => fromEnvironment)
  const secretVariables = secretFields.flatMap(([field, variable]) =>
    field === 'variables' ? [String(variable)] : [],
  )
  const base = {
    ...{ name, path: found.path, folder: ownFolder, stateFolder, record, state, file: place },
    ...{ checked, secretFields, secretVariables, batch, settings: all },
    baseFolder: found.kind === 'batch' ? dirname(found.path) : deps.cwd,
  }
  if (problems.length > 0) return { ...base, ...unread, problems }

  const added = [...state.lists, ...moreLists].map(list =>
    readList(join(stateFolder, list), { cwd: deps.cwd }),
  )
  const lists = [...(await readLists([batch.list].flat())), ...(await Promise.all(added))]
  const numbers = await readBatchNumbers(batch, place)
  // Files that a flag names may be anywhere.
  const excluded =
    all.doNotCall === undefined
      ? await readLists([batch.doNotCall ?? []].flat())
      : await Promise.all([all.doNotCall].flat().map(file => readList(file, { cwd: deps.cwd })))
  const own = await readOwnList(base.folder, deps)
  const doNotCall = collectNumbers([...excluded, ...(own === undefined ? [] : [own])], numbers.readNumber)
  const named =
    batch.assistant &&
    (isAbsolute(batch.assistant) ? displayName(batch.assistant, deps.cwd) : batch.assistant)
  const assistant = await chooseAssistant({ ...options, assistant: named }, deps)
  const { file } = assistant
  return {
    ...base,
    batch: { ...batch, from: numbers.from },
    tables: lists.flatMap(({ table }) => table ?? []),
    readNumber: numbers.readNumber,
    doNotCall: doNotCall.numbers,
    maxMinutes: maxMinutesOf(assistant),
    usedVariables:
      file === undefined ? undefined : await findUsedVariables({ file, overrides: undefined }, deps),
    assistant,
    warnings: assistant.warnings,
    problems: [
      ...lists.flatMap(({ diagnostics }) => diagnostics),
      ...doNotCall.problems,
      ...numbers.problems,
    ],
  }
}

/** The longest duration of a call (interface.md 2.1), if the assistant is a file. */
function maxMinutesOf({ fields }: ChosenAssistant): number | undefined {
  const { maxCallDuration } = fields.assistant ?? {}
  return typeof maxCallDuration === 'number' ? maxCallDuration : undefined
}

/**
 * Finds the state of a batch by its file, list or name, without reading them: they may be gone or broken.
 * @throws CallwrightError `usage` for a batch that is not found
 */
export async function locateBatch(
  asked: string,
  { name: given }: Pick<OpenBatchOptions, 'name'>,
  deps: Pick<CallDeps, 'cwd' | 'files' | 'settings'>,
): Promise<Pick<OpenBatch, 'name' | 'stateFolder' | 'state'>> {
  const project = (await deps.settings()).project
  const folder = project === undefined ? undefined : dirname(project.file)
  const found = await findBatch(asked, folder, { useRecord: true, name: given }, deps)
  const name = given ?? found.name ?? basename(found.path, extname(found.path))
  const stateFolder = batchFolder(folder ?? dirname(found.path), name)
  return { name, stateFolder, state: await readBatchState(stateFolder) }
}

const unread = {
  tables: [],
  readNumber: () => ({ problem: 'missing-number' }) as const,
  doNotCall: new Map<string, string>(),
  usedVariables: undefined,
  assistant: undefined,
  warnings: [],
} satisfies Partial<OpenBatch>

interface FoundBatch {
  readonly kind: 'batch' | 'list'
  /** Name under which it was found. */
  readonly name?: string
  /** Absolute. */
  readonly path: string
}

/** @throws CallwrightError `usage` if it is neither a file nor a name in the project */
async function findBatch(
  asked: string,
  folder: string | undefined,
  { useRecord, name }: { readonly useRecord: boolean; readonly name: string | undefined },
  { cwd, files }: Pick<CallDeps, 'cwd' | 'files'>,
): Promise<FoundBatch> {
  const atPath = foundAt(resolve(cwd, asked))
  if (atPath !== undefined) return atPath
  const known =
    folder === undefined
      ? []
      : (await findFiles([join(folder, 'batches')], files)).files.filter(({ kind }) => kind === 'batch')
  const nameOf = (file: string) => basename(file, extname(file))
  const named = known.find(each => nameOf(each.path) === asked)
  if (named !== undefined) return { kind: 'batch', path: named.path }
  const record = useRecord ? await readBatchRecord(batchFolder(folder ?? cwd, name ?? asked)) : undefined
  const recorded = record && foundAt(record.file)
  if (recorded !== undefined) return { ...recorded, name: name ?? asked }
  const names = known.map(each => nameOf(each.path))
  const near = didYouMean(asked, names)
  throw new CallwrightError('usage', `batch ${JSON.stringify(asked)} not found`, {
    hint:
      near === undefined
        ? 'give a list (contacts.csv), a batch file (reminders.yaml), or the name of a file in batches/'
        : `did you mean ${near}?`,
  })
}

function foundAt(path: string): FoundBatch | undefined {
  const extension = extname(path).toLowerCase()
  if (batchExtensions.includes(extension)) return { kind: 'batch', path }
  return listExtensions.includes(extension) || extension.startsWith('.xls')
    ? { kind: 'list', path }
    : undefined
}

async function readBatchFile(
  path: string,
  settings: BatchSettings,
  { allowUnknown }: Pick<AssistantOptions, 'allowUnknown'>,
  deps: CallDeps,
) {
  const vocabulary = (await deps.settings()).vocabulary.value
  const checked = await checkFile(path, 'batch', { ...deps.files, vocabulary, allowUnknown })
  const errors = checked.diagnostics.filter(({ severity }) => severity === 'error')
  const missing = errors.filter(({ path: field }) => !Object.hasOwn(settings, String(field[0])))
  const batch =
    missing.length > 0
      ? emptyBatch
      : mergeSettings(await withAssistantFile(checked.value, path, deps), settings)
  return { batch, problems: missing, checked: [checked], place: displayName(path, deps.cwd) }
}

/** An assistant that is a file is relative to the batch, as the list is. */
async function withAssistantFile(
  fields: unknown,
  path: string,
  { cwd }: Pick<CallDeps, 'cwd'>,
): Promise<unknown> {
  if (!isObject(fields) || typeof fields.assistant !== 'string') return fields
  const file = resolve(dirname(path), fields.assistant)
  const isFile = await stat(file).then(
    status => status.isFile(),
    () => false,
  )
  return isFile ? { ...fields, assistant: displayName(file, cwd) } : fields
}

const emptyBatch: BatchFile = { list: '', from: '' }

/** @throws CallwrightError `usage` for a setting that is not valid */
function mergeSettings(fields: unknown, settings: BatchSettings): BatchFile {
  const base = typeof fields === 'object' && fields !== null ? fields : {}
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue
    const before = merged[name]
    const isGroup = !Array.isArray(value) && isObject(value) && isObject(before)
    merged[name] = isGroup ? { ...before, ...value } : value
  }
  const [finding] = check(batchSchema(), merged)
  if (finding === undefined) return batchSchema().parse(merged)
  const [field = '', inner] = finding.path.map(String)
  const flag = `--${kebab(field === 'window' && inner !== undefined ? inner : field)}`
  if (finding.code === 'missing') {
    throw new CallwrightError('usage', `${flag} is missing`, {
      hint: 'pass the number that the calls come from: --from +12025550100',
      details: { missing: [flag] },
    })
  }
  throw new CallwrightError('usage', `${flag}: ${finding.message}`, { hint: finding.hint })
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}
