import { rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CallwrightError, reasonOf } from '../error.ts'
import { type Machine, writeDurably } from './durable-write.ts'

interface ReplaceOptions {
  /** Permission bits of a new file. One that is there keeps its own, and its owner. */
  readonly mode: number
  readonly machine: Machine
}

/**
 * Writes a whole file as writeDurably does. The temporary file has a fixed name, so that the next run finds what a kill
 * left (`removeLeftover`); the caller holds a lock.
 * @throws CliError `usage` when it cannot be written; the old file is then as it was.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode, machine }: ReplaceOptions,
): Promise<void> {
  const temporary = temporaryFor(path)
  try {
    const old = await stat(path).catch(() => undefined)
    await writeDurably(path, text, {
      temporary,
      mode: old?.mode ?? mode,
      machine,
      async prepare(handle) {
        await handle.chmod((old?.mode ?? mode) & 0o7777)
        // Only root may give a file away; for others it is theirs already, or becomes theirs.
        if (old !== undefined) await handle.chown(old.uid, old.gid).catch(() => {})
      },
    })
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Removes the temporary file of a write that was killed. */
export async function removeLeftover(path: string): Promise<void> {
  const temporary = temporaryFor(path)
  await rm(temporary, { force: true }).catch(error => {
    throw cannotWrite(temporary, error)
  })
}

export function cannotWrite(path: string, error: unknown): CallwrightError {
  const reason = reasonOf(error)
  return new CallwrightError('usage', `cannot write ${path}: ${reason}`, {
    hint: 'check the free space, and the permissions of the file and its folder',
    cause: error,
  })
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.callwright-tmp`)
}
