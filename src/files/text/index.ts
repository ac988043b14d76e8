/** Bytes to text: encodings, byte order marks, compression. */
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
export { parseJsonBytes } from './parse-json.ts'
export {
  byteOrderMark,
  comparePositions,
  createLineIndex,
  lineNumbers,
  type Position,
  type Positioned,
  plainText,
  withLineFeeds,
  withoutMark,
} from './position.ts'
export { createStreamDecoder, guessUtf16 } from './stream-decoder.ts'
export { createTextDecoder } from './text-decoder.ts'
