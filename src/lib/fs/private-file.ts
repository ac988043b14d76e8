import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type CallyardError, defineErrors, describeFileError } from '../error.ts'
import { replaceFile, writeNewFile } from './replace-file.ts'

interface Resolver {
  resolve(path: string): string
}

/** Error codes; cli/messages/webhook.ts has their texts. */
export type DocumentErrors = {
  'document-exists': { readonly path: string }
  'document-no-file': { readonly path: string }
  'document-not-written': { readonly path: string; readonly reason: string }
}

const documentError = defineErrors<DocumentErrors>()

/** Before the work, whose result would be lost. @throws CallyardError `usage` */
export async function assertWritable(
  file: string,
  { force }: { readonly force: boolean },
  { resolve }: Resolver,
): Promise<void> {
  const path = resolve(file)
  const status = await lstat(path).catch(() => undefined)
  if (status !== undefined && !status.isFile())
    throw documentError('usage', 'document-no-file', { path: file })
  if (status !== undefined && !force) throw fileExistsError(file)
  await access(dirname(path), constants.W_OK).catch(error => {
    throw notWritten(file, error)
  })
}

/**
 * Writes a file with recordings or records: readable only by its owner (0600), completely or not at all. Replaces an existing file only
 * with `force`, and only if it is a plain file.
 * @throws CallyardError `usage` if it cannot be written or already exists
 */
export async function writePrivateFile(
  file: string,
  content: string,
  { force }: { readonly force: boolean },
  resolver: Resolver,
): Promise<void> {
  await assertWritable(file, { force }, resolver)
  const path = resolver.resolve(file)
  let isWritten = true
  try {
    if (force) await replaceFile(path, content, { mode: 0o600 })
    else isWritten = await writeNewFile(path, content, 0o600)
  } catch (error) {
    throw notWritten(file, error)
  }
  if (!isWritten) throw fileExistsError(file)
}

function fileExistsError(path: string): CallyardError {
  return documentError('usage', 'document-exists', { path })
}

function notWritten(path: string, error: unknown): CallyardError {
  return documentError('usage', 'document-not-written', { path, reason: describeFileError(error) }, error)
}
