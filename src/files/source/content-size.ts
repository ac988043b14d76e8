import type { CsvTable } from './diagnostic.ts'

/**
 * Counts the bytes of a FAQ file without the ids that a push writes into it, so that a push cannot take a file over its limit.
 * Works on the unparsed text or on the cells of a table, in linear time.
 */
export function contentBytes(text: string, csv?: CsvTable): number {
  let ids = 0
  if (csv === undefined) for (const [idField] of text.matchAll(field)) ids += Buffer.byteLength(idField)
  else {
    const column = csv.columns.indexOf('id')
    for (let row = -1; row < csv.size; row += 1) {
      const cell = csv.extentsOf(row).cells[column]
      // With its separator.
      if (cell !== undefined && cell.end - cell.start <= maxIdLength + 2)
        ids += Buffer.byteLength(text.slice(cell.start, cell.end)) + 1
    }
  }
  return Buffer.byteLength(text) - ids
}

/** Limits how much of an id is exempt, so that a hostile file cannot hide its content in ids. */
const maxIdLength = 512

const quoted = `"(?:[^"\\\\\r\n]|\\\\.){1,${maxIdLength}}"|'(?:[^'\r\n]|''){1,${maxIdLength}}'`
const plain = `[^\\s"',{}[\\]#][^\r\n,{}[\\]]{0,${maxIdLength - 1}}`

/** Matches `id: 6650f0c2` with the following line end and indentation, or `"id":"6650f0c2",`. */
const field = new RegExp(`(?<=[\\s{-])"?id"?: ?(?:${quoted}|${plain})(?:,\\s*|\r?\n *)?`, 'g')
