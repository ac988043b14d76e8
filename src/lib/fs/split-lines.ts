export interface Line {
  /** From 1. */
  readonly number: number
  /** Without its end; undefined for a line longer than the bound, which is read past. */
  readonly bytes: Buffer | undefined
  /** False for what stands after the last newline. */
  readonly ended: boolean
}

/** The lines of a stream of bytes, one after the other; never more than one line of at most `longest` bytes is held. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxLength: number,
): AsyncGenerator<Line, undefined> {
  let number = 1
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer) => {
    size += part.length
    if (size > maxLength) parts = []
    else parts.push(part)
  }
  const take = (ended: boolean): Line => {
    const bytes = size > maxLength ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts, size)
    parts = []
    size = 0
    return { number: number++, bytes, ended }
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end))
      yield take(true)
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  if (size > 0) yield take(false)
}

const newline = 10
