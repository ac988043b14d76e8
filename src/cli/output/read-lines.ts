import { createInterface } from 'node:readline'
import type { LineSource } from '../context.ts'

/** A stream's lines as they come; a stream that runs ahead of its reader is paused. */
export function readLines(input: NodeJS.ReadableStream): LineSource {
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, terminal: false })
  // Taken at once: a line that comes before a listener is there must not be lost.
  const lines = reader[Symbol.asyncIterator]()
  return { lines: { [Symbol.asyncIterator]: () => lines }, close: () => reader.close() }
}
