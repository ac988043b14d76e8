import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { getErrorCode } from '../../lib/error.ts'

export type Decompressed =
  | { readonly kind: 'plain' | 'compressed'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** Unknown coding, or bytes that are not in it; they may still be plain. */
  | { readonly kind: 'unknown'; readonly bytes: Buffer; readonly coding: string; readonly problem: string }

/**
 * Decodes the content codings of a body. Without the header, gzip is recognized by its magic bytes. Each step stops at `maxBytes`, so
 * a small body cannot exhaust memory.
 */
export function decompress(body: Buffer, encoding: string | undefined, maxBytes: number): Decompressed {
  const names = (encoding ?? '').toLowerCase().split(',')
  const codings = names.map(coding => coding.trim()).filter(coding => coding !== '' && coding !== 'identity')
  if (codings.length === 0 && body[0] === 0x1f && body[1] === 0x8b) codings.push('gzip')
  if (codings.length === 0) return { kind: 'plain', bytes: body }
  const unknown = (coding: string, problem = `unsupported content-encoding ${coding}`) =>
    ({ kind: 'unknown', bytes: body, coding, problem }) as const
  if (codings.length > maxCodings) return unknown(codings.join(', '))
  let bytes = body
  for (const coding of codings.toReversed()) {
    const undo = decoders.get(coding)
    if (undo === undefined) return unknown(coding)
    try {
      bytes = undo(bytes, { maxOutputLength: maxBytes })
    } catch (error) {
      if (getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too-large' }
      // A decompressing proxy may leave the header in place.
      return unknown(coding, `the body is not ${coding}, which its content-encoding says`)
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

/** RFC 1950: `deflate` has this zlib header, but some senders omit it. */
function hasZlibHeader(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}
