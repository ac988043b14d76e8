/**
 * Creates a decoder of an encoding by one of its labels in the WHATWG Encoding Standard. Many releases of Node.js 20 to 24 read
 * Windows-1252, and what is labeled ISO-8859-1, as Latin-1 (nodejs/node#56542).
 * @throws RangeError for an unknown label
 */
export function createTextDecoder(label: string): TextDecoding {
  const decoder = new TextDecoder(label)
  return decoder.encoding === 'windows-1252' ? windows1252 : decoder
}

export interface TextDecoding {
  readonly encoding: string
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string
}

const windows1252: TextDecoding = {
  encoding: 'windows-1252',
  decode: (bytes = new Uint8Array()) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString('latin1')
      .replace(/[\x80-\x9f]/g, toWindows),
}

/** Characters of the bytes from 0x80; the five that are not defined keep their value. */
const windowsCharacters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function toWindows(latin1: string): string {
  return windowsCharacters[latin1.charCodeAt(0) - 0x80] ?? latin1
}
