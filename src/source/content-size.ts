/**
 * Bytes of a file of FAQ entries without the ids that a push writes into it, as the text shows them: a file that was within
 * its limit before a push stays within it. Linear, and before anything is parsed.
 */
export function contentBytes(text: string, format: 'yaml' | 'json' | 'csv'): number {
  let ids = 0
  for (const [found] of text.matchAll(format === 'csv' ? cellPattern(text) : field))
    ids += Buffer.byteLength(found)
  return Buffer.byteLength(text) - ids
}

/** Characters of an id that do not count: a hostile file could otherwise hold its content in ids. */
const maxIdLength = 512

const quoted = `"(?:[^"\\\\\r\n]|\\\\.){1,${maxIdLength}}"|'(?:[^'\r\n]|''){1,${maxIdLength}}'`
const plain = `[^\\s"',{}[\\]#][^\r\n,{}[\\]]{0,${maxIdLength - 1}}`

/** `id: 6650f0c2` with the line end and indentation behind it, or `"id":"6650f0c2",`. */
const field = new RegExp(`(?<=[\\s{-])"?id"?: ?(?:${quoted}|${plain})(?:,\\s*|\r?\n *)?`, 'g')

const cell = `(?:"(?:[^"]|""){1,${maxIdLength}}"|[^,"\r\n]{1,${maxIdLength}})`
const firstCell = new RegExp(`(?<=\n)${cell},`, 'g')
const lastCell = new RegExp(`,${cell}(?=\r?\n|$)`, 'g')

/** The cells of the column `id`, where it is the first or the last one. */
function cellPattern(text: string): RegExp {
  return /^\ufeff?"?id"?,/.test(text) ? firstCell : lastCell
}
