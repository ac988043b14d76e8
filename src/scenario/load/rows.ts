import { rowsSchema } from '../../files/formats/scenario.ts'
import { checkSource, type FileRules, readSource, toDiagnostics } from '../../files/source/index.ts'
import { findColumn, findLostValue } from '../../files/tables/index.ts'
import { type FieldPath, type Finding, valueError } from '../../interface/finding.ts'
import { mapTexts, stringifyJson, textsIn } from '../../lib/json.ts'
import type { SourceLocation } from '../test-case.ts'
import { createLocator, type FileLocator, type Findings, type RowCell } from './findings.ts'

export interface Row {
  /** Values by column. */
  readonly values: Readonly<Record<string, unknown>>
  /** 1-based. */
  readonly number: number
  readonly location: SourceLocation
  cellAt(column: string): SourceLocation
}

/**
 * Reads the rows of `each`, or none if the file has errors. `uses` receives the path of a row file, which must be inside `folder`.
 * `usedColumns` are the names of which its header has some.
 */
export async function readRows(
  rowSource: string | readonly Row['values'][],
  at: FileLocator,
  findings: Findings,
  uses: Set<string>,
  options: FileRules & {
    readonly folder: string
    readonly usedColumns: readonly string[]
    readonly encoding: string | undefined
  },
): Promise<readonly Row[]> {
  const toRow = (
    values: Row['values'],
    index: number,
    { locationOf: placeOf }: FileLocator,
    list: FieldPath,
  ): Row => ({
    ...{ values, number: index + 1, location: placeOf([...list, index]) },
    cellAt: column => placeOf([...list, index, column]),
  })
  if (typeof rowSource !== 'string')
    return rowSource.map((values, index) => toRow(values, index, at, ['each']))
  const location = at.locationOf(['each'])
  const { cwd, folder, usedColumns, encoding, allowOutsideFiles = false } = options
  const includedBy = { includingFile: at.source.path, folder, allowOutsideFiles }
  const encodingHint = 'set encoding next to each, or save the file as UTF-8'
  const source = await readSource(rowSource, { cwd, includedBy, usedColumns, encoding, encodingHint })
  uses.add(source.path)
  if (source.value === undefined) {
    findings.addUnread(source, location, rowSource)
    return []
  }
  if (Array.isArray(source.value) && source.value.length === 0) {
    findings.add(location, 'missing', {
      message: `${rowSource} has a header but no rows, so no test would run`,
      hint: 'add a row',
    })
    return []
  }
  const { value, diagnostics } = await checkSource(source, rowsSchema(), options)
  findings.addAll(diagnostics)
  const rows = rowsSchema().safeParse(value).data ?? []
  findings.addAll(toDiagnostics(findLostCells(rows, usedColumns), source))
  const located = createLocator(source)
  return rows.map((values, index) => toRow(values, index, located, []))
}

/** Finds cells of columns in use that a spreadsheet has replaced with an error, or shortened. */
function findLostCells(rows: readonly Row['values'][], usedColumns: readonly string[]): Finding[] {
  const columns = new Set(rows.flatMap(row => Object.keys(row)))
  const columnsInUse = new Set(usedColumns.map(name => findColumn(name, [...columns])))
  return rows.flatMap((values, row) =>
    Object.entries(values).flatMap(([column, cell]) => {
      if (!columnsInUse.has(column) || typeof cell !== 'string') return []
      const finding = findLostValue(cell, `column ${column}`)
      return finding === undefined
        ? []
        : [valueError([row, column], finding.code, finding.message, finding.hint)]
    }),
  )
}

const placeholder = /\{\{([^{}]*)\}\}/g
const onePlaceholder = /^\{\{([^{}]*)\}\}$/

/** Returns the names between `{{` and `}}` in all texts of a value, each with the path of the first. */
export function findPlaceholders(value: unknown): ReadonlyMap<string, FieldPath> {
  const names = new Map<string, FieldPath>()
  for (const [path, text] of textsIn(value)) {
    if (!text.includes('{{')) continue
    for (const [, written = ''] of text.matchAll(placeholder)) {
      const name = written.trim()
      if (!names.has(name)) names.set(name, path)
    }
  }
  return names
}

export type RowFiller = ReturnType<typeof createRowFiller>

/** Creates functions that fill `{{column}}` placeholders. Other `{{name}}` placeholders stay: they are variables of the service. */
export function createRowFiller(row: Row | undefined) {
  const { values = {} } = row ?? {}
  const columns = Object.keys(values)
  /** An empty cell is empty text. */
  const getCell = (name: string) => {
    const column = findColumn(name.trim(), columns)
    return column === undefined ? undefined : (values[column] ?? '')
  }
  const text = (whole: string) =>
    whole.replace(placeholder, (written, name: string) => {
      const value = getCell(name)
      if (value === undefined) return written
      return typeof value === 'object' ? stringifyJson(value) : String(value)
    })
  const cellOrText = (whole: string): unknown => {
    const [, name] = onePlaceholder.exec(whole) ?? []
    return (name === undefined ? undefined : getCell(name)) ?? text(whole)
  }
  return {
    text,
    /** Fills all texts of a value that must stay texts. */
    texts: (value: unknown) => mapTexts(value, text),
    /** Fills all texts of a value. A text that is just `{{column}}` becomes the column's value, which may be a number. */
    value: (value: unknown) => mapTexts(value, cellOrText),
    /** Returns the location of the first cell that the value uses, with the 1-based number of its row. */
    findCell(written: unknown): RowCell | undefined {
      const [column] = [...findPlaceholders(written).keys()].flatMap(name => findColumn(name, columns) ?? [])
      return row === undefined || column === undefined
        ? undefined
        : { ...row.cellAt(column), row: row.number }
    },
  }
}
