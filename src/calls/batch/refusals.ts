import type { BatchFile } from '../../files/formats/batch.ts'
import type { Table } from '../../files/source/index.ts'
import {
  type ConsentAnswer,
  type ConsentCell,
  forbidsCalls,
  isRefusedStatus,
  readConsent,
  readDoNotCall,
} from '../../files/tables/index.ts'
import { type NumberReader, readingsOf } from '../place/index.ts'
import { type ColumnMap, type ListedColumns, mapColumns } from './columns.ts'

/** Why a row says that its person is not called: a finding about one of its cells. */
export interface Refusal {
  readonly code: 'marked-do-not-call' | 'says-do-not-call' | 'no-consent' | 'unclear-consent'
  readonly column: number
}

/** Returns why a row says that its person is not called; undefined if they may be called. `now`: milliseconds since the epoch. */
export function findRefusal(
  { map }: ListedColumns,
  cells: readonly string[],
  now: number,
): Refusal | undefined {
  const { consent, decisive, doNotCall, others, statuses } = map
  const read = (columns: readonly number[], readCell: typeof readConsent) =>
    columns.map(column => ({ column, answer: readCell(cells[column] ?? '', cellOf(map, column, now)) }))
  const marks = read(doNotCall, readDoNotCall)
  const consents = read(consent, readConsent)
  const columnWith = (answers: typeof marks, consentAnswer: ConsentAnswer) =>
    answers.find(({ answer }) => answer === consentAnswer)?.column
  const marked = columnWith(marks, 'yes')
  if (marked !== undefined) return { code: 'marked-do-not-call', column: marked }
  const says = others.find(column => forbidsCalls(cells[column] ?? ''))
  if (says !== undefined) return { code: 'says-do-not-call', column: says }
  const status = [...statuses].find(column => isRefusedStatus(cells[column] ?? ''))
  if (status !== undefined) return { code: 'marked-do-not-call', column: status }
  const refused = columnWith(consents, 'no')
  if (refused !== undefined) return { code: 'no-consent', column: refused }
  const unclear = columnWith([...marks, ...consents], 'unclear')
  if (unclear !== undefined) return { code: 'unclear-consent', column: unclear }
  const deciding = consents.filter(({ column }) => decisive.includes(column))
  const [empty] = deciding
  return empty !== undefined && columnWith(deciding, 'yes') === undefined
    ? { code: 'no-consent', column: empty.column }
    : undefined
}

/** Returns the facts about the cells of a column. */
export function cellOf({ dates, reasons }: ColumnMap, column: number, now: number): ConsentCell {
  return { now, isDate: dates.has(column), isReason: reasons.has(column) }
}

/** Returns cells that are neither yes nor no, at most two, of a column in which no cell is; undefined for one with an answer. */
export function findUnclearCells(
  { rows }: Table,
  column: number,
  readCell: typeof readConsent,
  cell: ConsentCell,
): readonly string[] | undefined {
  const unclear: string[] = []
  for (let row = 0; row < rows.length; row += 1) {
    const text = rows.at(row)?.cells[column] ?? ''
    const answer = text === '' ? 'empty' : readCell(text, cell)
    if (answer === 'yes' || answer === 'no') return undefined
    if (answer === 'unclear' && unclear.length < 2) unclear.push(text)
  }
  return unclear
}

/** Id and numbers of a person. */
export interface Identity {
  /** The id column, or else the first number. */
  readonly id: string
  /** E.164, in the order in which they are called. */
  readonly numbers: readonly string[]
}

/** Returns by what a row identifies a person. */
export function identityOf({ table, map }: ListedColumns, row: number, readNumber: NumberReader): Identity {
  const { cells = [] } = table.rows.at(row) ?? {}
  const reads = map.to.map(column => readNumber(cells[column] ?? ''))
  const numbers = reads.flatMap(read => ('number' in read ? [read.number] : []))
  const id = map.id === undefined ? '' : (cells[map.id] ?? '')
  return { id: id === '' ? (numbers[0] ?? '') : id, numbers }
}

interface RefusalOptions {
  readonly batch: BatchFile
  readonly readNumber: NumberReader
  /** Milliseconds since the epoch. */
  readonly now: number
  /** True for a person whom the batch has called. */
  isKnown(person: Identity): boolean
}

/**
 * Collects the numbers of people who are not called because a row of the lists says so, with the file and line of the row: another row of
 * such a person does not say it. A cell that became empty counts for a person who was called.
 */
export function collectRefusals(
  tables: readonly Table[],
  { batch, readNumber, now, isKnown }: RefusalOptions,
): Map<string, string> {
  const lists = tables.map(table => ({
    table,
    map: mapColumns(table.columns, { mapping: batch.columns }).map,
  }))
  const numbers = new Map<string, string>()
  const ids = new Map<string, string>()
  for (const list of lists) {
    const { table, map } = list
    if (map.consent.length + map.doNotCall.length + map.others.length === 0) continue
    for (let row = 0; row < table.rows.length; row += 1) {
      // A row that is damaged may still say no, and so may one whose number has several readings.
      const { cells = [] } = table.rows.at(row) ?? {}
      const refusal = findRefusal(list, cells, now)
      if (refusal === undefined) continue
      const person = identityOf(list, row, readNumber)
      const { code, column } = refusal
      const isEmpty =
        code === 'no-consent' && readConsent(cells[column] ?? '', cellOf(map, column, now)) === 'empty'
      if (isEmpty && !isKnown(person)) continue
      const where = `${table.file}:${table.positionOf(row)?.line ?? row + 1}`
      for (const index of map.to)
        for (const number of readingsOf(readNumber(cells[index] ?? ''))) numbers.set(number, where)
      if (map.id !== undefined && (cells[map.id] ?? '') !== '') ids.set(person.id, where)
    }
  }
  for (const list of ids.size > 0 ? lists : [])
    for (let row = 0; row < list.table.rows.length; row += 1) {
      const id = list.map.id === undefined ? '' : (list.table.rows.at(row)?.cells[list.map.id] ?? '')
      const where = ids.get(id)
      if (where === undefined) continue
      for (const number of identityOf(list, row, readNumber).numbers)
        if (!numbers.has(number)) numbers.set(number, where)
    }
  return numbers
}
