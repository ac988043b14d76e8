import type { CsvRecord, CsvTable } from '../../source/parsed.ts'
import type { Edit, FaqPlace } from './edits.ts'

export interface CsvPlaces {
  readonly places: readonly FaqPlace[]
  /** Without an id column, the header's new cell. */
  readonly header?: Edit
  /** Without an id column, the cell that an entry gets as long as it has no id. */
  readonly emptyCells?: readonly Edit[]
}

/** Where each record of a CSV file takes its id: its cell in the id column, or a new last column in every row. */
export function csvPlaces({ columns, header, records }: CsvTable): CsvPlaces {
  const column = columns.indexOf('id')
  if (column !== -1) return { places: records.map(record => placeAt(record, column)) }
  const appended = records.map(record => placeAt(record, columns.length))
  return {
    places: appended,
    header: { start: header.end, end: header.end, text: ',id' },
    emptyCells: appended.map(place => place.edit('')),
  }
}

/** A record may have fewer cells than the header: the missing ones are added, empty, up to the id's. */
function placeAt({ cells, end }: CsvRecord, column: number): FaqPlace {
  const cell = cells[column]
  if (cell !== undefined) return { edit: id => ({ start: cell.start, end: cell.end, text: csvCell(id) }) }
  const commas = ','.repeat(column - cells.length + 1)
  return { edit: id => ({ start: end, end, text: `${commas}${csvCell(id)}` }) }
}

function csvCell(id: string): string {
  return /[",\r\n]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id
}
