import { realpath } from 'node:fs/promises'
import { accessToHosts } from '../../../files/access/index.ts'
import { getErrorCode } from '../../../lib/error.ts'
import { isObject } from '../../../lib/json.ts'
import { loadRecordStore } from '../../../sandbox/index.ts'
import type { Context } from '../../shell/context.ts'
import { agreeOnce } from '../consent.ts'

/**
 * Asks once to confirm the hosts in a snapshot's assistants and tools, which the sandbox will call. Does not ask about a file that
 * the sandbox rejects, nor when the snapshot comes from stdin.
 * @throws CallyardError `cancelled` if declined
 */
export async function agreeToSnapshot(file: string, snapshot: unknown, context: Context): Promise<void> {
  if (file === '-' || !isObject(snapshot) || !Array.isArray(snapshot.entries)) return
  const records = snapshot.entries.flatMap(entry =>
    isObject(entry) && (entry.kind === 'assistant' || entry.kind === 'tool') ? [entry.record] : [],
  )
  await agreeToHosts(file, records, context)
}

/** Like agreeToSnapshot, for the file of --data. Does not ask if the file does not exist yet. */
export async function agreeToJournal(file: string, context: Context): Promise<void> {
  if (!context.prompts.available) return
  const store = await loadRecordStore(context.resolve(file)).catch(error => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (store !== undefined) await agreeToHosts(file, [...store.assistants(), ...store.tools()], context)
}

async function agreeToHosts(file: string, records: readonly unknown[], context: Context): Promise<void> {
  const path = await realpath(context.resolve(file))
  await agreeOnce(new Map([[path, accessToHosts(records)]]), context)
}
