import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { codeOf } from '../error.ts'

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
