import { codeOf } from '../error.ts'

export type Decompressed =
  | { readonly bytes: Buffer }
  | { readonly problem: string; readonly isTooBig: boolean }

/** A body without its content encodings (`gzip`, `deflate`, `br`, also one over another), if it has at most `maxBytes` then. */
export async function decompress(
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Decompressed> {
  const encodings = (contentEncoding ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(encoding => encoding !== '' && encoding !== 'identity')
  let bytes = body
  for (const encoding of encodings.toReversed()) {
    if (bytes.length === 0) break
    const inflate = (await decoders())[encoding]
    if (inflate === undefined) return { problem: `unsupported content encoding ${encoding}`, isTooBig: false }
    try {
      bytes = await inflate(bytes, { maxOutputLength: maxBytes })
    } catch (error) {
      const isTooBig = codeOf(error) === 'ERR_BUFFER_TOO_LARGE'
      return { problem: isTooBig ? 'too big' : `invalid ${encoding} data`, isTooBig }
    }
  }
  return { bytes }
}

type Decoder = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

/** Loaded for the first compressed body: most are not. */
async function decoders(): Promise<Readonly<Partial<Record<string, Decoder>>>> {
  const [{ promisify }, zlib] = await Promise.all([import('node:util'), import('node:zlib')])
  const gunzip: Decoder = promisify(zlib.gunzip)
  const inflate: Decoder = promisify(zlib.inflate)
  const inflateRaw: Decoder = promisify(zlib.inflateRaw)
  // RFC 9110 means the zlib format; many servers send deflate data without its header.
  const deflate: Decoder = (bytes, options) =>
    ((bytes[0] ?? 0) & 0x0f) === 8 ? inflate(bytes, options) : inflateRaw(bytes, options)
  return { gzip: gunzip, 'x-gzip': gunzip, deflate, br: promisify(zlib.brotliDecompress) }
}
