import { dirname, isAbsolute, join } from 'node:path'
import { type CheckedFile, type Diagnostic, displayName } from '../../files/source/index.ts'
import type { FieldPath } from '../../interface/finding.ts'
import { hashContent } from '../../lib/hash.ts'
import type { CheckResourceOptions } from '../../project/apply/index.ts'
import {
  type CallDeps,
  type ChosenAssistant,
  chooseAssistant,
  findUsedVariables,
  type Warning,
} from '../place/index.ts'
import { saveAddedLists } from './added-lists.ts'
import { readBatchState } from './batch-journal.ts'
import { readBatchNumbers } from './batch-numbers.ts'
import { type BatchRecord, readBatchRecord } from './batch-record.ts'
import { type BatchSettings, mergeSettings, readBatchFile } from './batch-settings.ts'
import { collectNumbers, readOwnList } from './do-not-call.ts'
import { findCheckProblems } from './eligibility.ts'
import { locateBatch } from './find-batch.ts'
import { historyOf } from './next-call.ts'
import type { PlanInput } from './plan.ts'
import { type ListOptions, openList } from './read-list.ts'
import { collectRefusals } from './refusals.ts'
import type { BatchState } from './state.ts'

export interface OpenBatchOptions extends CheckResourceOptions {
  /** Name of the batch, under which its calls are recorded. Default: that of its file. */
  readonly name?: string | undefined
  /** True to use the settings of the last run, and to find a batch by its name alone. */
  readonly useRecord?: boolean | undefined
  /** Lists in the folder of the batch that are read too. */
  readonly moreLists?: readonly string[]
  /** True to report a program of `check` that is missing. */
  readonly checksProgram?: boolean
  /** Returns the calls of a batch that several machines share. Default: those in its folder. */
  openState?(name: string): Promise<BatchState>
}

/** A batch with everything that it names read, ready to be planned. */
export interface OpenBatch extends Omit<PlanInput, 'now' | 'isRunning'> {
  readonly name: string
  /** Absolute path of the batch file or the list. */
  readonly path: string
  /** Folder of callyard.yaml, or else of the batch: that of the do-not-call list. */
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
  /** Identifies the settings and the content of the lists that decide who is called. */
  readonly inputs: string
  /** Numbers among `doNotCall` of people whom a row of the lists keeps from being called. */
  readonly refusals: Map<string, string>
  /** Numbers of the project's do-not-call list, which are not part of `inputs`. */
  readonly ownNumbers: readonly string[]
}

/**
 * Opens a batch by its file, by its name in `batches/` of the project, or as a list of people with settings. The settings replace those
 * of the file. Reads everything that the batch names; sends nothing.
 * @throws CallyardError `usage` for a batch that is not found, for invalid settings and as chooseAssistant does
 */
export async function openBatch(
  nameOrPath: string,
  settings: BatchSettings,
  options: OpenBatchOptions,
  deps: CallDeps,
): Promise<OpenBatch> {
  const opened = await openSettings(nameOrPath, settings, options, deps)
  const { stateFolder, name } = opened
  const state = await (options.openState?.(name) ?? readBatchState(stateFolder))
  await saveAddedLists(state, stateFolder)
  const lists = await openLists(opened, [...state.lists, ...(options.moreLists ?? [])], deps)
  const read = await readPeople(opened, lists, { state, now: deps.clock.now() })
  if (options.checksProgram !== true) return read
  return { ...read, problems: [...read.problems, ...(await findCheckProblems(read, deps.env))] }
}

export type OpenSettings = Awaited<ReturnType<typeof openSettings>>

/** Opens a batch without its lists and its calls. @throws as openBatch does */
export async function openSettings(
  nameOrPath: string,
  settings: BatchSettings,
  { name: batchName, useRecord = false, moreLists: _, openState: __, ...options }: OpenBatchOptions,
  deps: CallDeps,
) {
  const { kind, path, projectFolder, ...located } = await locateBatch(
    nameOrPath,
    { name: batchName, useRecord },
    deps,
  )
  const record = await readBatchRecord(located.stateFolder)
  const allSettings = useRecord && record !== undefined ? { ...record.settings, ...settings } : settings
  const isFile = kind === 'batch'
  const { batch, problems, checked, displayPath } = isFile
    ? await readBatchFile(path, allSettings, options, deps)
    : {
        batch: mergeSettings({ list: path }, allSettings),
        problems: [],
        checked: [],
        displayPath: nameOrPath,
      }
  const secretFields = checked.flatMap(({ fromEnvironment }) => fromEnvironment)
  const secretVariables = secretFields.flatMap(([field, variable]) =>
    field === 'variables' ? [String(variable)] : [],
  )
  const includedBy = isFile
    ? {
        includingFile: path,
        folder: projectFolder ?? dirname(path),
        allowOutsideFiles: deps.files.allowOutsideFiles === true,
      }
    : undefined
  const base = {
    ...located,
    ...{
      path,
      record,
      file: displayPath,
      checked,
      secretFields,
      secretVariables,
      settings: allSettings,
      includedBy,
    },
    baseFolder: isFile ? dirname(path) : deps.cwd,
  }
  if (problems.length > 0) return { ...base, ...unread, batch, problems }

  const { from, readNumber, problems: wrongNumbers } = await readBatchNumbers(batch, displayPath)
  const named =
    batch.assistant &&
    (isAbsolute(batch.assistant) ? displayName(batch.assistant, deps.cwd) : batch.assistant)
  const assistant = await chooseAssistant({ ...options, assistant: named }, deps)
  const { file, warnings } = assistant
  const used = file === undefined ? undefined : await findUsedVariables({ file, overrides: undefined }, deps)
  return {
    ...base,
    usedVariables: undefined,
    ...{ readNumber, assistant, warnings, problems: wrongNumbers, isReadable: true },
    batch: { ...batch, from },
    maxMinutes: maxMinutesOf(assistant),
    ...(used !== undefined && {
      usedVariables: [...used.names, ...used.optional],
      optionalVariables: used.optional,
      expressions: used.expressions,
    }),
  }
}

export type OpenLists = Awaited<ReturnType<typeof openLists>>

/** Reads the lists of a batch without parsing them; `added` are those in its folder. */
export async function openLists(
  { batch, settings, stateFolder, folder, includedBy, isReadable }: OpenSettings,
  added: readonly string[],
  { cwd }: CallDeps,
) {
  if (!isReadable) return { lists: [], excluded: [], own: undefined }
  const open = (files: readonly string[], options: ListOptions) =>
    Promise.all(files.map(file => openList(file, options)))
  const { encoding } = batch
  const named = await open([batch.list].flat(), { cwd, includedBy, encoding })
  const inFolder = await open(
    added.map(list => join(stateFolder, list)),
    { cwd, encoding },
  )
  return {
    lists: [...named, ...inFolder],
    // Files that a flag names may be anywhere.
    excluded: await open([batch.doNotCall ?? []].flat(), {
      cwd,
      includedBy: settings.doNotCall === undefined ? includedBy : undefined,
      isDoNotCall: true,
    }),
    own: await readOwnList(folder, cwd),
  }
}

/** Parses the lists of a batch. */
export async function readPeople(
  opened: OpenSettings,
  batchLists: OpenLists,
  { state, now }: { readonly state: BatchState; readonly now: number },
): Promise<OpenBatch> {
  const { readNumber, problems } = opened
  const { lists, excluded, own } = batchLists
  const contents = await Promise.all(lists.map(list => list.parse()))
  const findings = contents.flatMap(({ diagnostics }) => diagnostics)
  const ownNumbers = collectNumbers(own === undefined ? [] : [own], readNumber)
  const others = collectNumbers(await Promise.all(excluded.map(list => list.parse())), readNumber)
  const tables = contents.flatMap(({ table }) => table ?? [])
  const refusals = collectRefusals(tables, {
    ...opened,
    now,
    isKnown: person => historyOf(person, state).length > 0,
  })
  return {
    ...opened,
    ...{ tables, refusals },
    ...{ state, inputs: inputsOf(opened, batchLists), ownNumbers: [...ownNumbers.numbers.keys()] },
    listWarnings: findings.filter(({ severity }) => severity === 'warning'),
    doNotCall: new Map([...others.numbers, ...ownNumbers.numbers, ...refusals]),
    doNotCallWarnings: [...others.warnings, ...ownNumbers.warnings],
    problems: [
      ...findings.filter(({ severity }) => severity === 'error'),
      ...others.problems,
      ...ownNumbers.problems,
      ...problems,
    ],
  }
}

/** Returns what identifies the settings and the lists of a batch: with the same, every row is read in the same way. */
export function inputsOf({ batch, usedVariables }: OpenSettings, { lists, excluded }: OpenLists): string {
  const hashes = [lists, excluded].map(tables => tables.map(({ hash }) => hash ?? null))
  return hashContent(JSON.stringify([batch, usedVariables ?? null, hashes]))
}

/** The longest duration of a call (interface.md 2.1), if the assistant is a file. */
function maxMinutesOf({ fields }: ChosenAssistant): number | undefined {
  const { maxCallDuration } = fields.assistant ?? {}
  return typeof maxCallDuration === 'number' ? maxCallDuration : undefined
}

const unread = {
  readNumber: () => ({ problem: 'missing-number', readings: [] }) as const,
  usedVariables: undefined,
  maxMinutes: undefined,
  assistant: undefined,
  warnings: [],
  /** False if the settings have errors: then the lists are not read. */
  isReadable: false,
} satisfies Partial<OpenBatch> & { readonly isReadable: boolean }
