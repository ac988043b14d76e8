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

/**
 * The entries of a journal, line by line; none where there is no file. Text after the last newline was never acknowledged and does not count.
 * @throws `journal-damaged`, and the error of the system
 */
export async function* readJournal(path: string): AsyncGenerator<RecordEntry, undefined> {
  const { handle } = await openFile(path)
  for await (const { number, bytes, ended } of splitLines(
    handle.createReadStream(),
    Number.POSITIVE_INFINITY,
  )) {
    if (ended && bytes !== undefined && bytes.length > 0)
      yield parseEntry(bytes.toString(), { file: path, line: number })
  }
}

/**
 * The records that a call can be made of, from a journal's bytes: without its key, and without its calls, which are not parsed.
 * @throws `journal-damaged`
 */
export function recordsOf(bytes: Buffer, file: string): RecordStore {
  const store = createStore()
  const lines = bytes.toString().split('\n')
  for (const [index, line] of lines.slice(0, -1).entries()) {
    if (line === '' || line.startsWith('{"kind":"call",')) continue
    const entry = parseEntry(line, { file, line: index + 1 })
    if (entry.kind !== 'team' && entry.kind !== 'call') store.apply(entry)
  }
  return store
}

function parseEntry(text: string, { file, line }: { file: string; line: number }): RecordEntry {
  const value = parseJson(text)
  if (isEntry(value)) return value
  throw sandboxError('invalid', 'journal-damaged', { file, line })
}
