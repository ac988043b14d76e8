/**
 * Counts the bytes of a FAQ file without the ids that a push writes into it, so that a push cannot take a file over its limit.
 * Works on the unparsed text, in linear time.
 */
export function contentBytes(text: string, format: 'yaml' | 'json' | 'csv'): number {
  let ids = 0
  for (const [found] of text.matchAll(format === 'csv' ? cellPattern(text) : field))
    ids += Buffer.byteLength(found)
  return Buffer.byteLength(text) - ids
}

/** Limits how much of an id is exempt, so that a hostile file cannot hide its content in ids. */
const maxIdLength = 512

const quoted = `"(?:[^"\\\\\r\n]|\\\\.){1,${maxIdLength}}"|'(?:[^'\r\n]|''){1,${maxIdLength}}'`
const plain = `[^\\s"',{}[\\]#][^\r\n,{}[\\]]{0,${maxIdLength - 1}}`

/** Matches `id: 6650f0c2` with the following line end and indentation, or `"id":"6650f0c2",`. */
const field = new RegExp(`(?<=[\\s{-])"?id"?: ?(?:${quoted}|${plain})(?:,\\s*|\r?\n *)?`, 'g')

const cell = `(?:"(?:[^"]|""){1,${maxIdLength}}"|[^,"\r\n]{1,${maxIdLength}})`
const firstCell = new RegExp(`(?<=\n)${cell},`, 'g')
const lastCell = new RegExp(`,${cell}(?=\r?\n|$)`, 'g')

/** Matches the cells of the `id` column, which must be the first or last one. */
function cellPattern(text: string): RegExp {
  return /^\ufeff?"?id"?,/.test(text) ? firstCell : lastCell
}
