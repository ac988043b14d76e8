/** Bytes to text (encodings, byte order marks, compression), and text to tables with headings. */

export { type ConsentAnswer, forbidsCalls, readConsent, readDoNotCall } from './consent.ts'
export { charsetOf, decodeAs, decodeResponse } from './decode-body.ts'
export { type DecodedExport, type DecodedTable, decodeExport, decodeTable } from './decode-export.ts'
export {
  type DecodedText,
  decodeText,
  encodeText,
  findMark,
} from './decode-text.ts'
export { decodeUtf8 } from './decode-utf8.ts'
export { decompress } from './decompress.ts'
export type { HeadingUse } from './heading-words.ts'
export { findColumn, findHeaderRow, foldHeading, usesOfHeading } from './headings.ts'
export { parseJsonBytes } from './parse-json.ts'
export {
  byteOrderMark,
  createLineIndex,
  type Position,
  plainText,
  withoutMark,
} from './position.ts'
export { findLostValue, isShortenedNumber, shortenedNumber } from './spreadsheet-errors.ts'
export { createStreamDecoder, guessUtf16 } from './stream-decoder.ts'
export type { Extent, RowProblem, TableProblem, TableRow } from './table.ts'
export { createTextDecoder } from './text-decoder.ts'

/** Loads the reader of tables, which most commands do not need. */
export const loadTableReader = () => import('./table.ts')
