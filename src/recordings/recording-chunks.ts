import { createReadStream, existsSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { describeFileError, getErrorCode } from '../lib/error.ts'
import { recordingError } from './errors.ts'

/**
 * Reads the bytes of a file from an offset on. Decompresses gzip, whatever the name of the file. If gzip has replaced the whole file since
 * it was listed, reads its replacement.
 * @throws CallyardError `usage` when it cannot be read or decompressed
 */
export function readFileChunks(path: string, start = 0): AsyncGenerator<Buffer, undefined> {
  // A pipe cannot be read at an offset, not even at 0.
  const stream = createReadStream(path, { ...(start > 0 && { start }), highWaterMark: chunkSize })
  // Opened now, so that a file that is renamed meanwhile is read; what the stream reports may come before anything is read.
  stream.once('error', () => undefined)
  return readChunks(path, start > 0 ? stream : readOrGzip(path, stream))
}

async function* readOrGzip(path: string, stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  try {
    yield* stream
  } catch (error) {
    const compressed = `${path}.gz`
    if (getErrorCode(error) !== 'ENOENT' || !existsSync(compressed)) throw error
    yield* createReadStream(compressed, { highWaterMark: chunkSize })
  }
}

/** Reads the bytes of a stream as `readFileChunks` does. */
export async function* readChunks(
  path: string,
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, undefined> {
  try {
    const [compression, chunks] = await detectCompression(stream)
    // Node 20 cannot decompress it.
    if (compression === 'zstd') throw recordingError('usage', 'recording-zstd', { path })
    yield* compression === 'gzip' ? decompress(path, chunks) : chunks
  } catch (error) {
    const code = getErrorCode(error) ?? ''
    if (code.startsWith('Z_')) {
      const isTruncated = code === 'Z_BUF_ERROR'
      throw recordingError('usage', 'recording-damaged', { path, isTruncated }, error)
    }
    throw error instanceof Error && 'syscall' in error ? cannotRead(path, error) : error
  }
}

export function cannotRead(path: string, error: unknown) {
  return recordingError('usage', 'recording-unreadable', { path, reason: describeFileError(error) }, error)
}

const chunkSize = 256 * 1024

async function* decompress(path: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  const { createGunzip } = await import('node:zlib')
  const gunzip = createGunzip({ chunkSize })
  // Errors reach the reader of the last stream.
  pipeline(Readable.from(chunks), gunzip, () => {})
  // Not decompressed again: data exists whose decompression is itself.
  const [compression, decompressed] = await detectCompression(gunzip)
  if (compression === 'gzip') {
    gunzip.destroy()
    throw recordingError('usage', 'recording-compressed-twice', { path })
  }
  yield* decompressed
}

/** First two bytes of compressed data. No recording begins with them. */
const signatures = [
  ['gzip', 0x1f8b],
  ['zstd', 0x28b5],
] as const

/** Returns how a stream is compressed, by its first bytes, and all of its chunks. */
async function detectCompression(
  stream: AsyncIterable<Buffer>,
): Promise<
  readonly [compression: (typeof signatures)[number][0] | undefined, chunks: AsyncIterable<Buffer>]
> {
  const chunks = stream[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let beginning = Buffer.alloc(0)
  while (beginning.length < 2) {
    const next = await chunks.next()
    if (next.done === true) break
    first.push(next.value)
    beginning = Buffer.concat([beginning, next.value.subarray(0, 2)])
  }
  async function* all() {
    try {
      yield* first
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  const signature = beginning.length < 2 ? undefined : beginning.readUInt16BE()
  return [signatures.find(([, bytes]) => bytes === signature)?.[0], all()]
}
