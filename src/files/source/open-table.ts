import { dirname, resolve } from 'node:path'
import { onNextTurn } from '../../lib/clock.ts'
import { hasExtension } from '../../lib/fs/extension.ts'
import { hashContent } from '../../lib/hash.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { csvDocument } from '../../lib/text/csv.ts'
import { maxFileBytes } from '../formats/file-limits.ts'
import { loadTableReader, type RowProblem, type TableProblem } from '../tables/index.ts'
import { type DecodedExport, decodeExport } from '../text/index.ts'
import { findLabeledConflictMarker } from './conflict-marker.ts'
import { createLineIndex, type Diagnostic, type Position } from './diagnostic.ts'
import { displayName, type FileOptions } from './read-source.ts'
import { readDecoded, readIncludedAs, type Unreadable } from './read-text.ts'

/** Rows of text with named columns. */
export interface Table {
  /** Display name. */
  readonly file: string
  readonly columns: readonly string[]
  readonly rows: Rows
  readonly warnings?: readonly Diagnostic[]
  /** Returns where a row begins, or one of its cells by its index. */
  positionOf(row: number, column?: number): Position | undefined
}

/** Rows that are read on demand, such as an array of them. */
export interface Rows {
  readonly length: number
  at(index: number): Row | undefined
}

export interface Row {
  /** In the order of the columns; those at the end may be missing if they are empty. */
  readonly cells: readonly string[]
  /** Why the row cannot be used. */
  readonly problem?: RowProblem
}

/** Content of a table, or the problems of the file. */
export interface TableContent {
  readonly table?: Table
  readonly diagnostics: readonly Diagnostic[]
}

/** A table whose file was read. */
export interface OpenedTable {
  /** Hash of its text in UTF-8; undefined if the file cannot be read. */
  readonly hash: string | undefined
  parse(): Promise<TableContent>
}

/**
 * Reads the file of a table as spreadsheet programs and scripts write it, in any encoding: CSV with a header (`,`, `;` or tabs), JSON
 * Lines (`.jsonl`, `.ndjson`) or a JSON list of objects (`.json`). Parses it only if asked to. Cells stay text. A table named by another
 * file is restricted as `${file:…}` is. Problems of the file are returned, never thrown.
 */
export async function openTable(
  file: string,
  { cwd, includedBy, encoding, hints }: TableOptions,
): Promise<OpenedTable> {
  const path = resolve(includedBy === undefined ? cwd : dirname(includedBy.includingFile), file)
  const name = displayName(path, cwd)
  const isDocument = hasExtension(path, ['.json'])
  const decode = (bytes: Buffer) => decodeExport(bytes, { encoding })
  const decoding = isDocument
    ? { ...documentLimit, decode }
    : { maxBytes: maxTableBytes, sizeHint: hints.tooLarge, decode }
  const content =
    includedBy === undefined
      ? await readDecoded(path, decoding)
      : await readIncludedAs(file, includedBy, decoding)
  if ('error' in content) {
    const problem = located(content)
    const hint = problem.hint ?? (problem.code === 'wrong-encoding' ? hints.encoding : undefined)
    const diagnostics = [toDiagnostic({ ...problem, hint }, name)]
    return { hash: undefined, parse: async () => ({ diagnostics }) }
  }
  return { hash: hashContent(content.utf8), parse: () => parseAs(content, path, name, hints) }
}

export interface TableOptions extends FileOptions {
  readonly hints: TableHints
}

/** Next steps for a table, by its problem. */
interface TableHints {
  readonly tooLarge: string
  /** For an encoding that is guessed or wrong. */
  readonly encoding: string
}

async function parseAs(
  read: DecodedExport,
  path: string,
  name: string,
  { encoding }: TableHints,
): Promise<TableContent> {
  const { errors, warnings = [], ...table } = await parseRows(read.utf8, path)
  if (errors.length > 0) return { diagnostics: errors.map(error => toDiagnostic(error, name)) }
  const tableWarnings = warnings.map(warning => toDiagnostic(warning, name))
  return {
    table: { ...table, file: name, warnings: tableWarnings },
    diagnostics: doubtIn(read, name, encoding),
  }
}

function doubtIn({ doubt }: DecodedExport, file: string, hint: string): Diagnostic[] {
  if (doubt === undefined) return []
  return [{ ...toDiagnostic({ ...doubt, hint: doubt.hint ?? hint }, file), severity: 'warning' }]
}

/** A table takes about three times its size in memory. */
const maxTableBytes = 500 * 1024 ** 2
const documentLimit = {
  maxBytes: maxFileBytes,
  sizeHint: 'save it as JSON Lines (.jsonl), one object per line, or as CSV',
}

function located({ error: { offset, ...error }, partial = '' }: Unreadable): TableProblem {
  return offset === undefined ? error : { ...error, position: createLineIndex(partial)(offset) }
}

/**
 * Returns a CSV file with rows added, in UTF-8. The rows get the columns, the separator and the line ends of the file; an empty file
 * becomes one with `columns`.
 * @throws Error for a file that is not a text
 */
export async function withRows(
  file: Buffer,
  {
    columns,
    toCells,
  }: {
    readonly columns: readonly string[]
    toCells(columns: readonly string[]): readonly (readonly string[])[]
  },
): Promise<{ readonly keptText: string; readonly added: string }> {
  const decoded = await decodeExport(file)
  if ('error' in decoded) throw new Error(decoded.error.message)
  const text = decoded.utf8.toString()
  if (text.trim() === '') return { keptText: text, added: `${csvDocument([columns, ...toCells(columns)])}\n` }
  const { readTable } = await loadTableReader()
  const header = await readTable(decoded.utf8.subarray(0, headerBytes))
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const rows = csvDocument(toCells(header.columns), header.separator).replaceAll('\n', lineEnd)
  return { keptText: text, added: `${/[\r\n]$/.test(text) ? '' : lineEnd}${rows}${lineEnd}` }
}

/** Larger than any header. */
const headerBytes = 1 << 20

function toDiagnostic(error: TableProblem, file: string): Diagnostic {
  return { severity: 'error', path: [], at: 'value', ...error, file }
}

type Content = Omit<Table, 'file' | 'warnings'> & {
  readonly errors: readonly TableProblem[]
  readonly warnings?: readonly TableProblem[]
}

async function parseRows(utf8: Buffer, path: string): Promise<Content> {
  const conflict = findConflict(utf8)
  if (conflict !== undefined) return withoutRows(conflict)
  if (hasExtension(path, ['.json'])) return parseJsonList(utf8.toString())
  return hasExtension(path, ['.jsonl', '.ndjson']) ? parseJsonLines(utf8) : parseDelimited(utf8)
}

/** Finds a git conflict marker, with which a table would have the rows of both sides. */
function findConflict(utf8: Buffer): TableProblem | undefined {
  for (const marker of ['<<<<<<< ', '>>>>>>> '])
    for (let at = utf8.indexOf(marker); at !== -1; at = utf8.indexOf(marker, at + 1)) {
      const error = at === 0 || utf8[at - 1] === 0x0a ? findLabeledConflictMarker(marker) : undefined
      if (error === undefined) continue
      const { offset: _, ...problem } = error
      let line = 1
      for (let index = 0; index < at; index += 1) if (utf8[index] === 0x0a) line += 1
      return { ...problem, position: { line, column: 1 } }
    }
  return undefined
}

function withoutRows(error: TableProblem): Content {
  return { columns: [], rows: [], positionOf: () => undefined, errors: [error] }
}

const rowForm = '{"column": "cell"}'

const emptyTable = withoutRows({
  ...{ code: 'empty-file', message: 'the file is empty' },
  hint: `write each row as an object: ${rowForm}`,
})

const notAList = withoutRows({
  ...{ code: 'not-a-list', message: 'the file is not a JSON list of objects' },
  hint: `write the rows as [${rowForm}, …], or one object per line in a file with the extension .jsonl`,
})

async function parseDelimited(utf8: Buffer): Promise<Content> {
  const { readTable } = await loadTableReader()
  const { columns, size, errors, warnings, rowAt, positionOf } = await readTable(utf8)
  return { errors, warnings, columns, rows: { length: size, at: rowAt }, positionOf }
}

/** Keeps the text of the file, because values would take several times the memory. */
async function parseJsonLines(utf8: Buffer): Promise<Content> {
  const starts: number[] = []
  const ends: number[] = []
  const lines: number[] = []
  const columns = new Set<string>()
  const valueAt = (row: number) => parseJson(utf8.toString('utf8', starts[row], ends[row]))
  let line = 1
  for (let start = 0; start < utf8.length; line += 1) {
    const lineEnd = utf8.indexOf('\n', start)
    const end = lineEnd === -1 ? utf8.length : lineEnd
    if (utf8.toString('utf8', start, end).trim() !== '') {
      starts.push(start)
      ends.push(end)
      lines.push(line)
      addColumns(valueAt(starts.length - 1), columns)
    }
    start = end + 1
    if (line % linesPerTurn === 0) await new Promise<void>(onNextTurn)
  }
  if (starts.length === 0) return emptyTable
  const names = [...columns]
  return {
    columns: names,
    rows: { length: starts.length, at: row => toRow(valueAt(row), names) },
    positionOf: row => ({ line: lines[row] ?? 1, column: 1 }),
    errors: [],
  }
}

/** Lines that are read before signals are looked at. */
const linesPerTurn = 10_000

function parseJsonList(text: string): Content {
  if (text.trim() === '') return emptyTable
  const value = parseJson(text)
  if (!Array.isArray(value)) return notAList
  const offsets = lazy(() => itemOffsets(text))
  const positionAt = createLineIndex(text)
  return { ...toRows(value), errors: [], positionOf: row => positionAt(offsets()[row] ?? 0) }
}

/** Returns where the items of a JSON list begin. */
function itemOffsets(json: string): number[] {
  const offsets: number[] = []
  let depth = 0
  let isItemNext = false
  // Strings, brackets, commas, and other values.
  for (const { 0: token, index } of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]|[^\s[\]{},":]+/g)) {
    if (token === ']' || token === '}') depth -= 1
    else if (depth === 1 && token === ',') isItemNext = true
    else if (depth === 1 && isItemNext) {
      offsets.push(index)
      isItemNext = false
    }
    if (token === '[' || token === '{') {
      if (depth === 0) isItemNext = true
      depth += 1
    }
  }
  return offsets
}

function toRows(values: readonly unknown[]) {
  const columns = new Set<string>()
  for (const value of values) addColumns(value, columns)
  const names = [...columns]
  return { columns: names, rows: { length: values.length, at: (row: number) => toRow(values[row], names) } }
}

function addColumns(value: unknown, columns: Set<string>): void {
  if (isObject(value)) for (const column of Object.keys(value)) columns.add(column)
}

function toRow(value: unknown, columns: readonly string[]): Row {
  if (!isObject(value)) return { cells: [], problem: notAnObject }
  // An inherited field, such as toString, is not a cell.
  const fields = columns.map(column => (Object.hasOwn(value, column) ? value[column] : undefined))
  const nested = columns.find((_, index) => typeof fields[index] === 'object' && fields[index] !== null)
  const cells = fields.map(value =>
    ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : '',
  )
  if (nested === undefined) return { cells }
  return {
    cells,
    problem: {
      ...{ code: 'wrong-type', message: `${nested} is not a text or number` },
      hint: 'write it as text, or leave it out',
    },
  }
}

const notAnObject: RowProblem = {
  code: 'not-an-object',
  message: 'not a JSON object',
  hint: `write the row as ${rowForm}`,
}
