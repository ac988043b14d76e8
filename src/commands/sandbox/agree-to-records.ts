import { realpath } from 'node:fs/promises'
import type { Context } from '../../cli/context.ts'
import { codeOf } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { accessToHosts } from '../../project/index.ts'
import { recordsOf } from '../../sandbox/index.ts'
import { agreeOnce } from '../in-project.ts'

/**
 * Asks once about the hosts that a snapshot makes the sandbox call: those of its assistants and tools. Nothing is asked about a file whose shape
 * the sandbox refuses, or that comes from stdin, where nobody can be asked.
 * @throws CallwrightError `cancelled` for a no
 */
export async function agreeToSnapshot(file: string, snapshot: unknown, context: Context): Promise<void> {
  if (file === '-' || !isObject(snapshot) || !Array.isArray(snapshot.entries)) return
  const records = snapshot.entries.flatMap(entry =>
    isObject(entry) && (entry.kind === 'assistant' || entry.kind === 'tool') ? [entry.record] : [],
  )
  await agreeToHosts(file, records, context)
}

/** As agreeToSnapshot, for the file of --data; there is nothing to ask about one that is not there yet. */
export async function agreeToJournal(file: string, context: Context): Promise<void> {
  if (!context.prompts.available) return
  const store = await recordsOf(context.resolve(file)).catch(error => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (store !== undefined) await agreeToHosts(file, [...store.assistants(), ...store.tools()], context)
}

async function agreeToHosts(file: string, records: readonly unknown[], context: Context): Promise<void> {
  const place = await realpath(context.resolve(file))
  await agreeOnce(new Map([[place, accessToHosts(records)]]), context)
}
