import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { CallyardError, describeFileError, getErrorCode } from '../../lib/error.ts'

/**
 * Reads the bytes of a file from an offset on. Decompresses gzip, whatever the name of the file.
 * @throws CallyardError `usage` when it cannot be read or decompressed
 */
export function readFileChunks(path: string, start = 0): AsyncGenerator<Buffer, undefined> {
  // A pipe cannot be read at an offset, not even at 0.
  const stream = createReadStream(path, { ...(start > 0 && { start }), highWaterMark: chunkSize })
  // Opened now, so that a file that is renamed meanwhile is read; what the stream reports may come before anything is read.
  stream.once('error', () => undefined)
  return readChunks(path, stream)
}

/** Reads the bytes of a stream as `readFileChunks` does. */
export async function* readChunks(
  path: string,
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, undefined> {
  try {
    const [beginning, chunks] = await peek(stream, gzipSignature.length)
    yield* beginning.equals(gzipSignature) ? decompress(chunks) : chunks
  } catch (error) {
    const code = getErrorCode(error) ?? ''
    if (code.startsWith('Z_')) throw recordingDamaged(path, code === 'Z_BUF_ERROR', error)
    throw error instanceof Error && 'syscall' in error ? cannotRead(path, error) : error
  }
}

export function cannotRead(path: string, cause: unknown): CallyardError {
  const reason = describeFileError(cause)
  return new CallyardError('invalid', `cannot read recording ${path}: ${reason}`, {
    code: 'recording-unreadable',
    hint: 'check the path and its permissions',
    details: { path, reason },
    cause,
  })
}

const chunkSize = 256 * 1024

/** No recording begins with it. */
const gzipSignature = Buffer.from([0x1f, 0x8b])

async function* decompress(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  const { createGunzip } = await import('node:zlib')
  const gunzip = createGunzip({ chunkSize })
  // Errors reach the reader of the last stream.
  pipeline(Readable.from(chunks), gunzip, () => {})
  yield* gunzip
}

/** Returns the first bytes of a stream, and all of its chunks. */
async function peek(
  stream: AsyncIterable<Buffer>,
  length: number,
): Promise<readonly [beginning: Buffer, chunks: AsyncIterable<Buffer>]> {
  const chunks = stream[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let beginning = Buffer.alloc(0)
  while (beginning.length < length) {
    const next = await chunks.next()
    if (next.done === true) break
    first.push(next.value)
    beginning = Buffer.concat([beginning, next.value.subarray(0, length - beginning.length)])
  }
  async function* allChunks() {
    try {
      yield* first
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  return [beginning, allChunks()]
}

const recordingDamaged = (path: string, isTruncated: boolean, cause: unknown) =>
  new CallyardError(
    'invalid',
    `cannot decompress recording ${path}: the gzip data ${isTruncated ? 'ends too early' : 'is damaged'}`,
    {
      code: 'recording-damaged',
      hint: 'copy or compress it again; gzip -t checks a file',
      details: { path, isTruncated },
      cause,
    },
  )
