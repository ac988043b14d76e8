import { createReadStream, lstatSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { required } from '../../../interface/fields.ts'
import { CallyardError, fileError } from '../../../lib/error.ts'
import { openLineFile } from '../../../lib/fs/line-file.ts'
import { replaceFile } from '../../../lib/fs/replace-file.ts'
import { type Immutable, isObject, mapValues } from '../../../lib/json.ts'
import { csvDocument } from '../../../lib/text/csv.ts'
import type { Person, UncalledRow } from '../contacts.ts'
import { type CallRules, historyOf, planNextCall, statusOf } from '../next-call.ts'
import type { CallQueue } from '../queue.ts'
import { type BatchState, type CallAttempt, outcomeOf } from '../state.ts'

/** Columns of a results file before those of the structured data. */
const resultColumns = [
  ...['id', 'number', 'status', 'attempts', 'times', 'calls', 'outcomes', 'from', 'seconds', 'endedBy'],
  ...['summary', 'success', 'next', 'optOut', 'error', 'consent', 'list', 'line'],
] as const
type ResultColumn = (typeof resultColumns)[number]

/** Row of a person. Several calls are separated by `; `. */
export const personResultSchema = z.object({
  ...(Object.fromEntries(resultColumns.map(column => [column, z.nullable(z.string())])) as Record<
    ResultColumn,
    z.ZodMiniNullable<z.ZodMiniString>
  >),
  data: required(z.record(z.string(), z.string()), 'Structured data of the last call that has any'),
})
export type PersonResult = Immutable<z.infer<typeof personResultSchema>>

/** Returns the row of a person. */
export function resultOf(person: Person, state: BatchState, rules: CallRules): PersonResult {
  const { id, numbers, list, row } = person
  const { table } = list
  const history = historyOf(person, state)
  const last = history.at(-1)
  const analyzed = analysisOf(history)
  const next = planNextCall(person, state, rules)
  const mapAttempts = (read: (attempt: CallAttempt) => string | number | null | undefined) =>
    history.length === 0 ? null : history.map(attempt => read(attempt) ?? '').join('; ')
  const line = table.positionOf(row)?.line
  return {
    id,
    number: last?.number ?? numbers[0] ?? null,
    status: statusOf(person, state, rules),
    attempts: String(history.length),
    times: mapAttempts(({ at }) => at),
    calls: mapAttempts(({ call }) => call),
    outcomes: mapAttempts(outcomeOf),
    from: mapAttempts(({ from }) => from),
    seconds: mapAttempts(({ seconds }) => seconds),
    endedBy: last?.endedBy ?? null,
    summary: analyzed?.summary ?? null,
    success: analyzed?.success ?? null,
    next: next === undefined || next.at === 0 ? null : new Date(next.at).toISOString(),
    optOut: state.optedOut.get(id) ?? null,
    error: last?.reason ?? state.skipped.get(id) ?? null,
    consent: consentOf(list, row),
    list: table.file,
    line: line === undefined ? null : String(line),
    data: toCells(dataOf(history)),
  }
}

/** Returns the analysis of the last call that has one. */
function analysisOf(history: readonly CallAttempt[]): CallAttempt['analysis'] {
  return history.findLast(({ analysis }) => analysis !== null)?.analysis ?? null
}

function dataOf(history: readonly CallAttempt[]): Readonly<Record<string, unknown>> {
  return analysisOf(history)?.structuredData ?? {}
}

/** Returns the row of somebody who is not called because of the list. */
export function uncalledResult({ list, row, status, reason }: UncalledRow): PersonResult {
  const { table, map } = list
  const cell = (index: number | undefined) =>
    index === undefined ? null : (table.rows.at(row)?.cells[index] ?? null)
  const line = table.positionOf(row)?.line
  const none = Object.fromEntries(resultColumns.map(column => [column, null])) as Record<ResultColumn, null>
  return {
    ...none,
    ...{ id: cell(map.id), number: cell(map.to[0]), status, attempts: '0', error: reason },
    ...{
      consent: consentOf(list, row),
      list: table.file,
      line: line === undefined ? null : String(line),
      data: {},
    },
  }
}

function consentOf({ table, map }: Person['list'], row: number): string | null {
  const { cells = [] } = table.rows.at(row) ?? {}
  return map.consent.length === 0 ? null : map.consent.map(column => cells[column] ?? '').join('; ')
}

/** Formats results as CSV with a header. */
export function resultsDocument(results: readonly PersonResult[]): string {
  const fields = [...new Set(results.flatMap(({ data }) => Object.keys(data)))].sort()
  return csvDocument([headerOf(fields), ...results.map(result => rowOf(result, fields))])
}

const chunkRows = 1000

/** Yields a results file in parts, so that a million rows are not in memory at once. */
function* resultsChunks(results: Iterable<PersonResult>, fields: readonly string[]): Generator<string> {
  // Byte order mark: without it Excel reads Windows-1252.
  let rows = [headerOf(fields)]
  let start = '\ufeff'
  for (const result of results) {
    rows.push(rowOf(result, fields))
    if (rows.length < chunkRows) continue
    yield `${start}${csvDocument(rows)}\n`
    rows = []
    start = ''
  }
  if (rows.length > 0) yield `${start}${csvDocument(rows)}\n`
}

/** Time between two rewrites of a results file whose rows have changed. */
const refreshMs = 30_000

interface ResultsOptions {
  readonly queue: CallQueue
  /** Rows of which nobody is called. */
  readonly uncalled: readonly UncalledRow[]
  readonly state: BatchState
  readonly rules: CallRules
  /** Milliseconds of a clock that is never set back. */
  monotonicMs(): number
  /** Called once if the file cannot be written. */
  onError(error: unknown): void
}

/** The results file of a run. */
export interface KeptResults {
  /** Appends the row of a person after a change, once nobody calls them again. */
  update(id: string): void
  /** Writes the file with everybody. Returns false if it could not be written. */
  finish(): Promise<boolean>
}

/**
 * Maintains a results file. It is rewritten at the start with everybody who was called; each further result is appended, and `finish` writes
 * all people. After a kill its rows are complete, and the next run or `batch export` rewrites it from the journal.
 * @throws CallyardError `usage` for a file that cannot be written, or with other content, which is not overwritten
 */
export async function keepResults(
  file: string,
  { queue, uncalled, state, rules, monotonicMs, onError }: ResultsOptions,
): Promise<KeptResults> {
  await assertResults(file)
  // Follows a link that exists now, but not one that appears during the run.
  const path = await realpath(file).catch(() => file)
  let inode: number | undefined
  let fields: readonly string[] = []
  const written = new Set<string>()
  /** True if a row changed after it was written, or has a field without a column. */
  let isStale = false
  let writing: Promise<void> | undefined
  let writtenAt = 0
  let isFailing = false
  const fail = (error: unknown) => {
    if (!isFailing) onError(error)
    isFailing = true
  }
  const isCalled = (id: string) => state.attempts.has(id) || state.skipped.has(id) || state.optedOut.has(id)
  const write = async (isComplete: boolean) => {
    const people = queue.people().filter(({ id }) => isComplete || isCalled(id))
    fields = [...new Set(people.flatMap(person => Object.keys(dataOf(historyOf(person, state)))))].sort()
    written.clear()
    isStale = false
    writtenAt = monotonicMs()
    function* rows() {
      for (const person of people) {
        if (queue.isDone(person.id)) written.add(person.id)
        yield resultOf(person, state, rules)
      }
      if (isComplete) for (const row of uncalled) yield uncalledResult(row)
    }
    writing = replaceResults(path, () => resultsChunks(rows(), fields)).finally(() => {
      writing = undefined
    })
    await writing
    inode = (await lstat(path)).ino
  }
  const rewrite = (isComplete: boolean) =>
    write(isComplete).then(
      () => true,
      error => {
        fail(error)
        return false
      },
    )
  const append = (person: Person) => {
    const result = resultOf(person, state, rules)
    const isKnown = written.has(person.id) || Object.keys(result.data).some(field => !fields.includes(field))
    if (isKnown || writing !== undefined) {
      isStale = true
      return
    }
    try {
      // Somebody removed or replaced the file, and its header with it.
      if (lstatSync(path, { throwIfNoEntry: false })?.ino !== inode) isStale = true
      else {
        const lines = openLineFile(path)
        try {
          lines.append(Buffer.from(`${csvDocument([rowOf(result, fields)])}\n`))
        } finally {
          lines.close()
        }
      }
      written.add(person.id)
    } catch (error) {
      fail(error)
    }
  }
  // Nobody is called if the results go nowhere.
  await write(false).catch(error => {
    throw fileError(
      `the results cannot be written to ${file}`,
      error,
      'choose another file; nobody was called',
    )
  })
  return {
    update(id) {
      const person = queue.isDone(id) ? queue.get(id) : undefined
      if (person !== undefined) append(person)
      if (isStale && writing === undefined && monotonicMs() - writtenAt >= refreshMs) void rewrite(false)
    },
    async finish() {
      await writing?.catch(() => undefined)
      return rewrite(true)
    },
  }
}

/** Replaces the results, and nothing else that was put in their place. */
async function replaceResults(path: string, chunks: () => Iterable<string>): Promise<void> {
  if ((await lstat(path).catch(() => undefined))?.isSymbolicLink())
    throw new CallyardError('usage', `${path} became a link; results are not written through it`)
  await assertResults(path)
  await replaceFile(path, chunks, { mode: 0o600 })
}

/** @throws CallyardError `usage` if the path is not a regular file, or a file with other content */
export async function assertResults(path: string): Promise<void> {
  const status = await stat(path).catch(() => undefined)
  if (status !== undefined && !status.isFile())
    throw new CallyardError('usage', `${path} is not a regular file; results cannot be written to it`, {
      hint: 'choose a file for the results',
    })
  const header = resultColumns.join(',')
  // With a byte order mark, which is three bytes long. The file may have a million rows.
  const start = await text(createReadStream(path, { end: header.length + 2 })).catch(() => '')
  if (start === '' || start.replace('\ufeff', '').startsWith(header)) return
  throw new CallyardError('usage', `${path} is not a results file, and is not overwritten`, {
    hint: 'choose another file for the results, or remove this one',
  })
}

function headerOf(fields: readonly string[]): string[] {
  return [...resultColumns, ...fields.map(field => `data.${field}`)]
}

function rowOf(result: PersonResult, fields: readonly string[]): string[] {
  return [
    ...resultColumns.map(column => result[column] ?? ''),
    ...fields.map(field => result.data[field] ?? ''),
  ]
}

function toCells(data: Readonly<Record<string, unknown>>): Record<string, string> {
  return mapValues(data, value =>
    typeof value === 'string'
      ? value
      : isObject(value) || Array.isArray(value)
        ? JSON.stringify(value)
        : String(value),
  )
}
