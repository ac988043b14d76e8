import { isUtf8 } from 'node:buffer'
import { decodeText, findMark } from './decode-text.ts'
import { withoutMark } from './position.ts'
import { createTextDecoder } from './text-decoder.ts'

/** Returns the text of a response: Unicode, else Windows-1252, in which old gateways send error pages. */
export function decodeResponse(bytes: Buffer): string {
  if (!isUtf8(bytes) && findMark(bytes) === undefined) return createTextDecoder('windows-1252').decode(bytes)
  const decoded = decodeText(bytes)
  return withoutMark('text' in decoded ? decoded.text : bytes.toString('utf8'))
}
