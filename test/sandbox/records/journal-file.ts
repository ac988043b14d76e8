import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readJournal } from '../../../src/sandbox/records/journal-lines.ts'
import type { RecordEntry } from '../../../src/sandbox/records/store.ts'

export const entries: RecordEntry[] = [
  { kind: 'team', version: 1, teamId: 't', apiKey: 'k' },
  { kind: 'tool', record: { _id: 'a', function: { name: 'Größe 寸 👋' } } },
  { kind: 'faq', knowledgeBaseId: 'kb', entries: [{ id: '1', question: 'Où ?', answer: 'Là.' }] },
]

export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'callyard-journal-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

export async function entriesIn(file: string): Promise<RecordEntry[]> {
  const found: RecordEntry[] = []
  for await (const entry of readJournal(file)) found.push(entry)
  return found
}
