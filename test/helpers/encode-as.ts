import { encodeText } from '../../src/files/text/index.ts'

/**
 * Encodes a text as spreadsheet programs do, by the name of the encoding in the WHATWG Encoding Standard: UTF-16 with a byte order mark.
 * @throws RangeError for a character that the encoding does not have
 */
export function encodeAs(text: string, encoding: string): Buffer {
  return encodeText(encoding.startsWith('utf-16') ? `\ufeff${text}` : text, encoding)
}
