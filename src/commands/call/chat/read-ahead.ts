import type { LineSource } from '../../../cli/context.ts'
import type { Clock } from '../../../lib/clock.ts'

export interface LinesAhead {
  /** All lines of the input, also those that were read. */
  readonly lines: AsyncIterable<string>
  /** The same when the input has ended; undefined when it goes on, as of a program that waits for answers. */
  readonly all: readonly string[] | undefined
}

/** Milliseconds. A shell's pipe has ended by then; a program that waits for a first word waits no longer than that. */
const timeoutMs = 300
const maxLines = 10_000

/** Reads an input until it ends, for a moment at most, so that it is known before the call is placed. No input has ended. */
export async function readAhead(
  input: LineSource | undefined,
  { sleep }: Pick<Clock, 'sleep'>,
): Promise<LinesAhead> {
  const iterator = (input?.lines ?? noLines())[Symbol.asyncIterator]()
  const read: string[] = []
  const done = new AbortController()
  const late = sleep(timeoutMs, done.signal).then(
    () => undefined,
    () => undefined,
  )
  let pending = iterator.next()
  for (
    let next = await Promise.race([pending, late]);
    next !== undefined;
    next = await Promise.race([pending, late])
  ) {
    if (next.done === true) {
      done.abort()
      return { lines: goOn(read, pending, iterator), all: read }
    }
    read.push(next.value)
    if (read.length === maxLines) done.abort()
    pending = iterator.next()
  }
  return { lines: goOn(read, pending, iterator), all: undefined }
}

async function* goOn(
  read: readonly string[],
  pending: Promise<IteratorResult<string>>,
  iterator: AsyncIterator<string>,
): AsyncGenerator<string> {
  yield* read
  for (let next = await pending; next.done !== true; next = await iterator.next()) yield next.value
}

async function* noLines(): AsyncGenerator<string> {}
