import { splitLines } from '../../lib/fs/line-file.ts'
import { openFile } from '../../lib/fs/read-file.ts'
import { parseJson } from '../../lib/json.ts'
import { sandboxError } from '../events.ts'
import { createStore, isEntry, type RecordEntry, type RecordStore } from './store.ts'

export function toJournalLine(entry: RecordEntry): string {
  return `${JSON.stringify(entry)}\n`
}

/** FAQ entries of one line: a knowledge base of 100,000 entries as one line would block the process while it is written. */
const maxFaqPerLine = 500
/** Characters of a chunk, unless one line is longer. */
const minChunkLength = 128 * 1024

/** The records of a store as lines of a journal, a chunk at a time. */
export function* journalChunks(store: RecordStore): Generator<string, undefined> {
  let chunk = ''
  for (const entry of store.snapshot()) {
    for (const part of splitFaq(entry)) {
      chunk += toJournalLine(part)
      if (chunk.length < minChunkLength) continue
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

function* splitFaq(entry: RecordEntry): Generator<RecordEntry, undefined> {
  if (entry.kind !== 'faq' || entry.entries.length <= maxFaqPerLine) return void (yield entry)
  for (let start = 0; start < entry.entries.length; start += maxFaqPerLine)
    yield { ...entry, entries: entry.entries.slice(start, start + maxFaqPerLine) }
}

/** Bytes that are read at a time. */
const readBytes = 1024 * 1024

/**
 * The entries of a journal, line by line. Text after the last newline was never acknowledged and does not count.
 * @throws `journal-damaged`, and the error of the system
 */
export async function* readJournal(
  file: string,
  isWanted: (line: Buffer) => boolean = () => true,
): AsyncGenerator<RecordEntry, undefined> {
  const { handle } = await openFile(file)
  for await (const { number, bytes, ended } of splitLines(
    handle.createReadStream({ highWaterMark: readBytes }),
    Number.POSITIVE_INFINITY,
  )) {
    if (!ended || bytes === undefined || bytes.length === 0 || !isWanted(bytes)) continue
    const value = parseJson(bytes.toString())
    if (!isEntry(value)) throw sandboxError('invalid', 'journal-damaged', { file, line: number })
    yield value
  }
}

const callLine = '{"kind":"call",'

/**
 * The records of a journal that a call can be made of: without its key, and without its calls, which are not parsed.
 * @throws as readJournal does
 */
export async function recordsOf(file: string): Promise<RecordStore> {
  const store = createStore()
  const isWanted = (line: Buffer) => line.subarray(0, callLine.length).toString() !== callLine
  for await (const entry of readJournal(file, isWanted))
    if (entry.kind !== 'team' && entry.kind !== 'call') store.apply(entry)
  return store
}
