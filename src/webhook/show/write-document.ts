import { randomUUID } from 'node:crypto'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { CliError } from '../../errors.ts'

/**
 * Writes a document that holds what people said: readable by its owner alone (0600), whole or not at all. A file that
 * is there is replaced only with `force`, and only if it is a plain file.
 * @throws CliError `usage` when it cannot be written, or something is there
 */
export async function writeDocument(
  path: string,
  content: string,
  { force }: { readonly force: boolean },
): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there !== undefined && (!force || !there.isFile())) throw occupied(path, there.isFile())
  const draft = force ? `${path}.${randomUUID()}.tmp` : path
  let begun = false
  try {
    const file = await open(draft, 'wx', 0o600)
    begun = true
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    if (draft !== path) await rename(draft, path)
  } catch (error) {
    if (begun) await rm(draft, { force: true }).catch(() => undefined)
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw exists ? occupied(path, true) : cannotWrite(path, error)
  }
}

function occupied(path: string, isFile: boolean): CliError {
  return isFile
    ? new CliError('usage', `${path} is there already`, {
        hint: 'give another --out, or --force to replace it',
      })
    : new CliError('usage', `${path} is there and no plain file`, { hint: 'give another --out' })
}

function cannotWrite(path: string, error: unknown): CliError {
  const reason = error instanceof Error ? error.message : String(error)
  return new CliError('usage', `cannot write ${path}: ${reason}`, {
    hint: 'check the folder, its permissions and the free space',
    cause: error,
  })
}
