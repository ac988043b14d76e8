import { isUtf8 } from 'node:buffer'
import { decodeUtf8 } from './decode-utf8.ts'
import { createLineIndex, type Position } from './position.ts'
import { createTextDecoder } from './text-decoder.ts'

/** Why bytes are not text. */
export interface TextError {
  readonly code: 'binary-file' | 'wrong-encoding' | 'workbook'
  readonly message: string
  readonly hint?: string | undefined
  readonly position?: Position | undefined
  readonly details?: OtherEncoding | undefined
}

/** Another encoding that may be meant, for a hint. */
export type OtherEncoding = Readonly<Record<'otherEncoding', string>>

/** `partial` is the text decoded leniently, to show the error in. */
export interface Undecodable {
  readonly error: TextError
  readonly partial?: string | undefined
}

export type UnicodeEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** Text of a file. Keeps a byte order mark, so that offsets are those of the file. */
export interface DecodedText {
  readonly text: string
  /** Name in the WHATWG Encoding Standard. */
  readonly encoding: string
}

/** Decodes UTF-8, and UTF-16 with a byte order mark or ASCII characters that prove it. Anything else is an error with its position. */
export function decodeText(bytes: Buffer): DecodedText | Undecodable {
  const encoding = findUnicode(bytes)
  if (encoding === undefined) return bytes.includes(0) ? binary(bytes) : invalidUtf8(bytes)
  const text = encoding === 'utf-8' ? decodeUtf8(bytes) : decodeUtf16(bytes, encoding)
  if (text === undefined) return encoding === 'utf-8' ? invalidUtf8(bytes) : invalidUtf16(bytes, encoding)
  const zero = text.indexOf('\0')
  return zero === -1 ? { text, encoding } : zeroAt(text, zero)
}

/**
 * Encodes a text as its file was.
 * @throws RangeError for a character that the encoding does not have in one or two bytes
 */
export function encodeText(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  const bytesOf = bytesByCharacter(encoding)
  return Buffer.from(
    Array.from(text).flatMap(character => {
      const bytes = bytesOf.get(character)
      if (bytes === undefined) throw new RangeError(`${encoding} has no character ${character}`)
      return bytes
    }),
  )
}

/** The characters that an encoding has in one or two bytes. */
function bytesByCharacter(encoding: string): ReadonlyMap<string, readonly number[]> {
  const cachedEncoder = encoders.get(encoding)
  if (cachedEncoder !== undefined) return cachedEncoder
  const decoder = createTextDecoder(encoding)
  const characters = new Map<string, readonly number[]>()
  const add = (...bytes: number[]) => {
    const character = decoder.decode(Uint8Array.from(bytes))
    const isOne = [...character].length === 1 && character !== '\uFFFD'
    if (isOne && !characters.has(character)) characters.set(character, bytes)
    return isOne
  }
  const leads = Array.from({ length: 256 }, (_, byte) => byte).filter(byte => !add(byte))
  for (const lead of leads) {
    // Windows does not write these rows of Shift_JIS, whose characters are in others as well.
    if (encoding === 'shift_jis' && (lead === 0xed || lead === 0xee)) continue
    for (let trail = 0x40; trail < 0xff; trail += 1) add(lead, trail)
  }
  encoders.set(encoding, characters)
  return characters
}

const encoders = new Map<string, ReadonlyMap<string, readonly number[]>>()

/** Returns the Unicode encoding that bytes are in; undefined for another encoding, and for bytes that are not text. */
export function findUnicode(bytes: Buffer): UnicodeEncoding | undefined {
  const marked = findMark(bytes)
  if (marked !== undefined) return marked
  if (bytes.includes(0)) return unmarkedUtf16(bytes)
  return isUtf8(bytes) ? 'utf-8' : undefined
}

/** Returns the encoding of a byte order mark. */
export function findMark(bytes: Uint8Array): UnicodeEncoding | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/**
 * UTF-16 without a byte order mark: one byte of each ASCII character is zero, always on the same side. At least a quarter of the
 * characters must be ASCII, and none a control character.
 */
function unmarkedUtf16(bytes: Buffer): UnicodeEncoding | undefined {
  const start = bytes.subarray(0, inspectedBytes)
  let even = 0
  let odd = 0
  for (const [index, byte] of start.entries()) {
    if (byte !== 0) continue
    if (index % 2 === 0) even += 1
    else odd += 1
  }
  // A letter such as U+0100 has its zero on the other side.
  const isClear = Math.max(even, odd) > 10 * Math.min(even, odd) && 8 * Math.max(even, odd) >= start.length
  if (bytes.length % 2 !== 0 || !isClear) return undefined
  const encoding = even > odd ? 'utf-16be' : 'utf-16le'
  const text = decodeUtf16(start, encoding, { isWhole: start.length === bytes.length })
  return text === undefined || /[\0-\x08\x0e-\x1f]/.test(text) ? undefined : encoding
}

const inspectedBytes = 4096

/** Undefined for invalid bytes. */
function decodeUtf16(
  bytes: Uint8Array,
  encoding: UnicodeEncoding,
  { isWhole = true } = {},
): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole })
  } catch {
    return undefined
  }
}

function binary(bytes: Buffer): Undecodable {
  const before = decodeUtf8(bytes.subarray(0, bytes.indexOf(0)))
  return before === undefined ? { error: binaryFile } : zeroAt(before, before.length)
}

const rightFile = 'check that this is the right file'
const binaryFile = { code: 'binary-file', message: 'the file is binary, not text', hint: rightFile } as const

function zeroAt(text: string, offset: number): Undecodable {
  const position = createLineIndex(text)(offset)
  return {
    partial: text,
    error: { ...binaryFile, hint: `there is a zero byte here; ${rightFile}`, position },
  }
}

function invalidUtf16(bytes: Buffer, encoding: UnicodeEncoding): Undecodable {
  const partial = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  const position = createLineIndex(partial)(partial.indexOf('\uFFFD'))
  const message = 'the file is UTF-16, but damaged: half a character is missing'
  return { partial, error: { code: 'wrong-encoding', message, hint: 'save it as UTF-8', position } }
}

function invalidUtf8(bytes: Buffer): Undecodable {
  const partial = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  let offset = partial.indexOf('\uFFFD')
  let byte = Buffer.byteLength(partial.slice(0, offset))
  // The file may really contain U+FFFD (EF BF BD).
  while (offset !== -1 && bytes.readUIntBE(byte, Math.min(3, bytes.length - byte)) === 0xefbfbd) {
    const next = partial.indexOf('\uFFFD', offset + 1)
    byte += Buffer.byteLength(partial.slice(offset, next === -1 ? undefined : next))
    offset = next
  }
  return {
    partial,
    error: {
      code: 'wrong-encoding',
      message: `the file is not UTF-8: byte ${hexByte(bytes[byte])} at offset ${byte}`,
      hint: 'save it as UTF-8',
      position: createLineIndex(partial)(Math.max(0, offset)),
    },
  }
}

export function hexByte(byte = 0): string {
  return `0x${byte.toString(16).padStart(2, '0')}`
}
