import { isUtf8 } from 'node:buffer'
import { charsetOf } from './decode-body.ts'
import { findMark } from './decode-text.ts'
import { withoutMark } from './position.ts'
import { createTextDecoder, type TextDecoding } from './text-decoder.ts'

/**
 * Creates a decoder of a response that arrives in parts: by its byte order mark, as UTF-16, in the charset of its `contentType`, else as
 * UTF-8. The text of incomplete characters, and of a first byte alone, comes with the next part.
 * @throws RangeError for bytes that are not in this encoding, and for an unknown charset
 */
export function createStreamDecoder(contentType: string | undefined): (part: Buffer) => string {
  let decode: ((part: Buffer) => string) | undefined
  let first = Buffer.alloc(0)
  return part => {
    if (decode !== undefined) return decode(part)
    first = Buffer.concat([first, part])
    if (first.length < 2) return ''
    decode = chooseDecoder(first, charsetOf(contentType))
    return withoutMark(decode(first))
  }
}

function chooseDecoder(first: Buffer, charset: string | undefined): (part: Buffer) => string {
  const label = findMark(first) ?? guessUtf16(first) ?? charset ?? 'utf-8'
  const { encoding } = createTextDecoder(label)
  // Old servers declare ISO-8859-1 whatever they send.
  if (encoding === 'utf-8' || encoding === 'windows-1252') return decodeUnicodeFirst(encoding)
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true })
  return part => {
    try {
      return decoder.decode(part, { stream: true })
    } catch {
      throw new RangeError(`bytes that are not ${encoding}`)
    }
  }
}

/** Decodes UTF-8, and with Windows-1252 that from the first part which is not UTF-8. */
function decodeUnicodeFirst(encoding: string): (part: Buffer) => string {
  let fallback: TextDecoding | undefined
  let rest: Buffer = Buffer.alloc(0)
  return part => {
    if (fallback !== undefined) return fallback.decode(part)
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    const end = completeLength(bytes)
    rest = bytes.subarray(end)
    if (isUtf8(bytes.subarray(0, end))) return bytes.toString('utf8', 0, end)
    if (encoding === 'utf-8') throw new RangeError('bytes that are not UTF-8')
    fallback = createTextDecoder(encoding)
    return fallback.decode(bytes)
  }
}

/** Returns the length without a character of UTF-8 that is cut off at the end. */
function completeLength(bytes: Buffer): number {
  // The first byte of a character that is longer than what is there of it is at least this.
  for (const [index, longer] of [0xc0, 0xe0, 0xf0].entries()) {
    const byte = bytes.at(-1 - index) ?? 0
    if (byte >= 0xc0) return bytes.length - (byte >= longer ? index + 1 : 0)
    if (byte < 0x80) break
  }
  return bytes.length
}

/** Returns the UTF-16 of text that starts with an ASCII character, which has an adjacent zero byte. */
export function guessUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes
  if (first !== 0 && second === 0) return 'utf-16le'
  return first === 0 && second !== 0 ? 'utf-16be' : undefined
}
