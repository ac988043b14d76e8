import { dirname, resolve } from 'node:path'
import { hashContent } from '../lib/hash.ts'
import { isObject, parseJson } from '../lib/json.ts'
import { csvDocument } from '../lib/text/csv.ts'
import {
  byteOrderMark,
  createLineIndex,
  type Diagnostic,
  type ParseError,
  type Position,
} from './diagnostic.ts'
import { cellCountError, detectDelimiter, readDelimited } from './read-csv.ts'
import { displayName, type ReadOptions } from './read-source.ts'
import { decodeExport, readIncluded, readText } from './read-text.ts'

/** Rows of text with named columns. */
export interface ListTable {
  /** Display name. */
  readonly file: string
  readonly columns: readonly string[]
  readonly rows: readonly ListRow[]
  /** Returns where a row begins, or one of its cells by its index. */
  positionOf(row: number, column?: number): Position | undefined
  /** Returns the name of a row in messages. Default: its file and position. */
  nameOf?(row: number): string
}

export interface ListRow {
  /** In the order of the columns; empty text for a missing one. */
  readonly cells: readonly string[]
  /** Why the row cannot be used. */
  readonly problem?: ParseError
}

/** Content of a list, or the problems of the file. */
export interface ListContent {
  readonly table?: ListTable
  readonly diagnostics: readonly Diagnostic[]
}

/** A list whose file was read. */
export interface OpenedList {
  /** Hash of its text; undefined if the file cannot be read. */
  readonly hash: string | undefined
  parse(): ListContent
}

/**
 * Reads a list of people as spreadsheet programs and scripts write it: CSV with a header (`,`, `;` or tabs; UTF-8, UTF-16 or
 * Windows-1252), JSON Lines (`.jsonl`, `.ndjson`) or a JSON list of objects (`.json`). Cells stay text. A list named by another file
 * is restricted as `${file:…}` is. Problems of the file are returned, never thrown.
 */
export async function readList(...list: Parameters<typeof openList>): Promise<ListContent> {
  return (await openList(...list)).parse()
}

/** Reads the file of a list as readList does, and parses it only if asked to. */
export async function openList(
  file: string,
  { cwd, includedBy }: Pick<ReadOptions, 'cwd' | 'includedBy'>,
): Promise<OpenedList> {
  const path = resolve(includedBy === undefined ? cwd : dirname(includedBy.includingFile), file)
  const name = displayName(path, cwd)
  const decode = decodeExport
  const read =
    includedBy === undefined
      ? await readText(path, { decode })
      : await readIncluded(file, { ...includedBy, decode })
  if ('error' in read) {
    const diagnostics = [toDiagnostic(read.error, name, undefined)]
    return { hash: undefined, parse: () => ({ diagnostics }) }
  }
  const text = read.text.startsWith(byteOrderMark) ? read.text.slice(1) : read.text
  return { hash: hashContent(text), parse: () => readTable(text, path, name) }
}

function readTable(text: string, path: string, name: string): ListContent {
  const positionAt = createLineIndex(text)
  const { errors, ...content } = parseList(text, path)
  if (errors.length > 0) {
    const diagnostics = errors.map(error =>
      toDiagnostic(error, name, error.offset === undefined ? undefined : positionAt(error.offset)),
    )
    return { diagnostics }
  }
  const { columns = [], rows = [], offsetOf = () => undefined } = content
  const positionOf = (row: number, column?: number) => {
    const offset = offsetOf(row, column)
    return offset === undefined ? undefined : positionAt(offset)
  }
  return { table: { file: name, columns, rows, positionOf }, diagnostics: [] }
}

/**
 * Returns the rows of a program as a list, with the rules of a JSON list. Its positions are the number of the row and that of the cell,
 * from 1; that of a whole row has column 0.
 */
export function tableOfRows(name: string, rows: readonly unknown[]): ListTable {
  return {
    columns: [],
    rows: [],
    ...toRows(rows),
    file: name,
    positionOf: (row, column = -1) => ({ line: row + 1, column: column + 1 }),
    nameOf: row => `${name}[${row}]`,
  }
}

/**
 * Returns a CSV file with rows added, in UTF-8. The rows get the columns, the delimiter and the line ends of the file; an empty file
 * becomes one with `columns`.
 * @throws Error for a file that is not a text
 */
export function withRows(
  file: Buffer,
  {
    columns,
    toCells,
  }: {
    readonly columns: readonly string[]
    toCells(columns: readonly string[]): readonly (readonly string[])[]
  },
): { readonly kept: string; readonly added: string } {
  const decoded = decodeExport(file)
  if ('error' in decoded) throw new Error(decoded.error.message)
  const { text: kept } = decoded
  const text = kept.startsWith(byteOrderMark) ? kept.slice(1) : kept
  if (text.trim() === '') return { kept, added: `${csvDocument([columns, ...toCells(columns)])}\n` }
  const delimiter = detectDelimiter(text)
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const rows = csvDocument(toCells(readDelimited(text).columns), delimiter).replaceAll('\n', lineEnd)
  return { kept, added: `${/[\r\n]$/.test(text) ? '' : lineEnd}${rows}${lineEnd}` }
}

function toDiagnostic(error: ParseError, file: string, position: Position | undefined): Diagnostic {
  const { offset: _, ...finding } = error
  return { severity: 'error', path: [], at: 'value', ...finding, file, position }
}

interface Content {
  readonly columns?: readonly string[]
  readonly rows?: readonly ListRow[]
  readonly errors: readonly ParseError[]
  offsetOf?(row: number, column: number | undefined): number | undefined
}

function parseList(text: string, path: string): Content {
  if (text.trim() === '') return { errors: [{ code: 'empty-file', message: 'the file is empty' }] }
  if (/\.(jsonl|ndjson)$/i.test(path)) return parseJsonLines(text)
  return /\.json$/i.test(path) ? parseJsonList(text) : parseDelimited(text)
}

function parseDelimited(text: string): Content {
  const { columns, rows, errors, offsetOf } = readDelimited(text)
  return {
    errors,
    columns,
    rows: rows.map(cells =>
      cells.length === columns.length ? { cells } : { cells, problem: cellCountError(cells, columns) },
    ),
    offsetOf: (row, column = 0) => offsetOf(row, column),
  }
}

function parseJsonLines(text: string): Content {
  const values: unknown[] = []
  const offsets: number[] = []
  let offset = 0
  for (const line of text.split('\n')) {
    if (line.trim() !== '') {
      values.push(parseJson(line))
      offsets.push(offset)
    }
    offset += line.length + 1
  }
  return { ...toRows(values), offsetOf: row => offsets[row] }
}

function parseJsonList(text: string): Content {
  const value = parseJson(text)
  if (Array.isArray(value)) {
    let offsets: readonly number[] | undefined
    const offsetOf = (row: number) => {
      offsets ??= itemOffsets(text)
      return offsets[row]
    }
    return { ...toRows(value), offsetOf }
  }
  return { errors: [{ code: 'not-a-list', message: 'the file is not a JSON list of objects' }] }
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

function toRows(values: readonly unknown[]): Content {
  const columns = [...new Set(values.flatMap(value => (isObject(value) ? Object.keys(value) : [])))]
  return {
    errors: [],
    columns,
    rows: values.map(value => {
      if (!isObject(value))
        return { cells: [], problem: { code: 'not-an-object', message: 'not a JSON object' } }
      // An inherited field, such as toString, is not a cell.
      const fields = columns.map(column => (Object.hasOwn(value, column) ? value[column] : undefined))
      const nested = columns.find((_, index) => typeof fields[index] === 'object' && fields[index] !== null)
      const cells = fields.map(value =>
        ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : '',
      )
      if (nested === undefined) return { cells }
      return { cells, problem: { code: 'wrong-type', message: `${nested} is not a text or number` } }
    }),
  }
}
