import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { codeOf } from '../../lib/error.ts'

/** Headers that say how a body is written. */
export interface BodyHeaders {
  readonly 'content-type'?: string | undefined
  readonly 'content-encoding'?: string | undefined
}

/** How a body differs from one JSON object in UTF-8. */
export type BodyForm = 'compressed' | 'byte-order-mark' | 'charset' | 'invalid-utf-8' | 'list' | 'form'

export type Decompressed =
  | { readonly kind: 'plain' | 'compressed'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** Neither the coding nor the bytes are known: they may still be plain. */
  | { readonly kind: 'unknown'; readonly bytes: Buffer; readonly coding: string }

/**
 * Undoes the content codings of a body; one that lacks the header is known by the first bytes of gzip. No step gives more than
 * `maxBytes`, so a small body cannot fill the memory.
 */
export function decompress(body: Buffer, encoding: string | undefined, maxBytes: number): Decompressed {
  const named = (encoding ?? '').toLowerCase().split(',')
  const codings = named.map(coding => coding.trim()).filter(coding => coding !== '' && coding !== 'identity')
  if (codings.length === 0 && isGzip(body)) codings.push('gzip')
  if (codings.length === 0) return { kind: 'plain', bytes: body }
  if (codings.length > maxCodings) return { kind: 'unknown', bytes: body, coding: codings.join(', ') }
  let bytes = body
  for (const coding of codings.toReversed()) {
    const undo = decoders.get(coding)
    if (undo === undefined) return { kind: 'unknown', bytes: body, coding }
    try {
      bytes = undo(bytes, { maxOutputLength: maxBytes })
    } catch (error) {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too-large' }
      // A proxy that decompresses may leave the header as it was.
      return { kind: 'unknown', bytes: body, coding }
    }
  }
  return { kind: 'compressed', bytes }
}

const maxCodings = 3

type Decode = (bytes: Buffer, limit: { readonly maxOutputLength: number }) => Buffer

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', (bytes, limit) => (hasZlibHeader(bytes) ? inflateSync : inflateRawSync)(bytes, limit)],
])

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** RFC 1950: `deflate` means with this header, and some senders leave it out. */
function hasZlibHeader(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

export interface DecodedText {
  readonly text: string
  readonly forms: readonly BodyForm[]
}

/** The texts that bytes may mean, the most likely one first. */
export function* decodeText(bytes: Buffer, contentType: string | undefined): Generator<DecodedText> {
  const marked = markedCharset(bytes)
  if (marked !== undefined) yield { text: decodeAs(marked, bytes) ?? '', forms: ['byte-order-mark'] }
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  for (const name of [charset, guessedCharset(bytes)]) {
    if (name === undefined || name === 'utf-8' || name === 'utf8') continue
    const text = decodeAs(name, bytes)
    if (text !== undefined) yield { text, forms: ['charset'] }
  }
  yield { text: decodeAs('utf-8', bytes) ?? '', forms: isUtf8(bytes) ? [] : ['invalid-utf-8'] }
}

function markedCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
}

/** JSON and forms begin with an ASCII character, which has a zero byte beside it in UTF-16. */
function guessedCharset(bytes: Buffer): string | undefined {
  const [first, second] = bytes
  if (first !== 0 && second === 0) return 'utf-16le'
  return first === 0 && second !== 0 ? 'utf-16be' : undefined
}

/** Without its byte order mark, and with U+FFFD for what is invalid; undefined for an unknown charset. */
function decodeAs(charset: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(charset === 'utf-16' ? 'utf-16le' : charset).decode(bytes)
  } catch {
    return undefined
  }
}
