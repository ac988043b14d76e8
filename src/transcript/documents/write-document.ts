import { lstat, open, rm } from 'node:fs/promises'
import { type CallwrightError, codeOf, reasonOf } from '../../lib/error.ts'
import { type Machine, replaceFile, syncFile } from '../../lib/fs/replace-file.ts'
import { transcriptError } from '../errors.ts'

/**
 * Writes a document that holds what people said: readable by its owner alone (0600), whole or not at all. A file that
 * is there is replaced only with `force`, and only if it is a plain file.
 * @throws CallwrightError `usage` when it cannot be written, or something is there
 */
export async function writeDocument(
  path: string,
  content: string,
  { force, machine }: { readonly force: boolean; readonly machine: Machine },
): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there !== undefined && (!force || !there.isFile())) throw occupied(path, there.isFile())
  try {
    if (force) await replaceFile(path, content, { mode: 0o600, machine })
    else await writeNew(path, content)
  } catch (error) {
    const exists = codeOf(error) === 'EEXIST'
    throw exists
      ? occupied(path, true)
      : transcriptError('usage', 'document-not-written', { path, reason: reasonOf(error) }, error)
  }
}

/** Unlike renaming, opening with `wx` never replaces a file that another process put there. */
async function writeNew(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await syncFile(file)
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined)
    throw error
  } finally {
    await file.close()
  }
}

function occupied(path: string, isFile: boolean): CallwrightError {
  return transcriptError('usage', isFile ? 'document-exists' : 'document-no-file', { path })
}
