import type { Context } from '../../../cli/context.ts'
import { CallwrightError } from '../../../lib/error.ts'
import { readFile } from '../../../lib/fs/read-file.ts'
import { sandboxJournal } from '../../../profile/index.ts'
import { createStore, parseJournal, type RecordEntry, type RecordStore } from '../../../sandbox/index.ts'

export interface SandboxRecords {
  /** Assistants, tools and FAQ entries; no key, no calls. */
  readonly entries: readonly RecordEntry[]
  readonly store: RecordStore
  /** Where they are from; empty for none. */
  readonly file: string
}

/** For a call that is made of files alone. */
export const noRecords: SandboxRecords = { entries: [], store: createStore(), file: '' }

/**
 * A copy of what a sandbox's journal holds, also while that sandbox runs. There is nothing in a sandbox that never ran.
 * @throws CallwrightError `usage` where --data names a file that is not there or cannot be read, `invalid` where it is no journal
 */
export async function readRecords(data: string | undefined, context: Context): Promise<SandboxRecords> {
  const file = data === undefined ? sandboxJournal(context.env) : context.resolve(data)
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (data === undefined && error.code === 'ENOENT') return new Uint8Array()
    throw new CallwrightError('usage', `the sandbox’s records ${file} cannot be read: ${error.message}`, {
      hint: 'give the file that sandbox start --data was given, or leave --data out',
    })
  })
  const entries = parseJournal(bytes, file).filter(({ kind }) => kind !== 'team' && kind !== 'call')
  return { entries, store: createStore(entries), file }
}
