import { parseJson } from '../../lib/json.ts'
import { decodeText } from './decode-text.ts'
import { withoutMark } from './position.ts'

/** Parses JSON that people may have edited; undefined if it is invalid or not text. */
export function parseJsonBytes(bytes: Buffer): unknown {
  const decoded = decodeText(bytes)
  return 'text' in decoded ? parseJson(withoutMark(decoded.text)) : undefined
}
