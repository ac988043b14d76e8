import { open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CliError } from '../errors.ts'

interface ReplaceOptions {
  /** Permission bits of a new file. One that is there keeps its own, and its owner. */
  readonly mode: number
}

/**
 * Writes a whole file, so that after a kill or a power cut the old or the new text is there, never a part. The temporary
 * file has a fixed name, so that the next run finds what a kill left (`removeLeftover`); the caller holds a lock.
 * @throws CliError `usage` when it cannot be written; the old file is then as it was.
 */
export async function replaceFile(path: string, text: string, { mode }: ReplaceOptions): Promise<void> {
  const temporary = temporaryFor(path)
  try {
    const old = await stat(path).catch(() => undefined)
    const handle = await open(temporary, 'w', old?.mode ?? mode)
    try {
      // writeFile goes on after a short write; a full disk is an error here, before anything is replaced.
      await handle.writeFile(text)
      await handle.chmod((old?.mode ?? mode) & 0o7777)
      // Only root may give a file away; for others it is theirs already, or becomes theirs.
      if (old !== undefined) await handle.chown(old.uid, old.gid).catch(() => {})
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
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

export function cannotWrite(path: string, error: unknown): CliError {
  const reason = error instanceof Error ? error.message : String(error)
  return new CliError('usage', `cannot write ${path}: ${reason}`, {
    hint: 'check the free space, and the permissions of the file and its folder',
    cause: error,
  })
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.callwright-tmp`)
}

/** Makes the renaming itself durable. Not every system can open a folder. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {}
}
