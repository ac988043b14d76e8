import { createTextDecoder } from '../../src/files/text/index.ts'

/**
 * Encodes a text in UTF-8, in UTF-16 with a byte order mark, or in an encoding of one byte per character, by its name in the WHATWG Encoding
 * Standard.
 * @throws Error for a character that the encoding does not have
 */
export function encodeAs(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  if (encoding === 'utf-16le') return utf16
  if (encoding === 'utf-16be') return utf16.swap16()
  const characters = createTextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  return Buffer.from(
    Array.from(text, character => {
      const byte = characters.indexOf(character)
      if (byte === -1) throw new Error(`${encoding} has no ${character}`)
      return byte
    }),
  )
}
