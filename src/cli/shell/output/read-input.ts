import { createInterface } from 'node:readline'
import type { LineSource } from '../context.ts'

/** A stream's lines as they come; a stream that runs ahead of its reader is paused. */
export function readLines(input: NodeJS.ReadableStream): LineSource {
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, terminal: false })
  // Taken at once: a line that comes before a listener is there must not be lost.
  const lines = reader[Symbol.asyncIterator]()
  return { lines: { [Symbol.asyncIterator]: () => lines }, close: () => reader.close() }
}

/**
 * Calls back with the name of each pressed key, such as `q` or `return`, until the returned function is called. Ctrl-C and Ctrl-Z work as
 * usual; Ctrl-D is reported as `q`.
 */
export function readKeys(
  stdin: NodeJS.ReadableStream,
  onKey: (name: string) => void,
  interrupt: () => void,
): () => void {
  // It draws nothing: it has no output.
  const reader = createInterface({ input: stdin, terminal: true })
  let closed = false
  const listener = (_: unknown, key: { name?: string; ctrl?: boolean } | undefined) => {
    if (key?.name !== undefined && key.ctrl !== true) onKey(key.name)
  }
  stdin.on('keypress', listener)
  reader.on('SIGINT', interrupt)
  // readline pauses itself then, and takes no key until it is resumed.
  reader.on('SIGCONT', () => reader.resume())
  reader.on('close', () => {
    stdin.off('keypress', listener)
    if (!closed) onKey('q')
  })
  return () => {
    closed = true
    reader.close()
  }
}
