import { CallyardError } from '../../lib/error.ts'
import { streamLines, toLines } from '../../lib/fs/log.ts'
import { parseJson } from '../../lib/json.ts'
import { createStore, isEntry, type RecordEntry, type RecordStore } from './store.ts'

export function toJournalLine(entry: RecordEntry): string {
  return toLines([entry])
}

/** FAQ entries per line: a knowledge base of 100,000 entries on one line would block the process while it is written. */
const maxFaqPerLine = 500
/** Characters per chunk, unless a single line is longer. */
const minChunkLength = 128 * 1024

/** Serializes the records of a store as journal lines, in chunks. */
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
 * Yields the entries of a journal. Ignores text after the last newline, which was never acknowledged.
 * @throws `journal-damaged`, and system errors
 */
export async function* readJournal(
  file: string,
  isWanted: (line: Buffer) => boolean = () => true,
): AsyncGenerator<RecordEntry, undefined> {
  for await (const { number, bytes, ended } of await streamLines(file)) {
    if (!ended || bytes === undefined || bytes.length === 0 || !isWanted(bytes)) continue
    const value = parseJson(bytes.toString())
    if (!isEntry(value))
      throw new CallyardError('invalid', `${file}:${number} is not an entry of a sandbox journal`, {
        code: 'journal-damaged',
        hint: 'move the file to start with an empty one, or use another file',
        details: { file, line: number },
      })
    yield value
  }
}

const callLine = '{"kind":"call",'

/** Reads the records that calls are made from, without the key and without calls, which are not parsed. @throws like readJournal */
export async function loadRecordStore(file: string): Promise<RecordStore> {
  const store = createStore()
  const isWanted = (line: Buffer) => line.subarray(0, callLine.length).toString() !== callLine
  for await (const entry of readJournal(file, isWanted))
    if (entry.kind !== 'team' && entry.kind !== 'call') store.apply(entry)
  return store
}
