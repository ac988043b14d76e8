import { constants } from 'node:fs'
import { access, appendFile, lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CallyardError, checkFolder, describeFileError } from '../error.ts'
import { replaceFile, writeNewFile } from './replace-file.ts'

/** True for a stream of this process, which may be a file with earlier output: it is appended to. */
export function isStream(path: string): boolean {
  return /^\/(?:dev\/(?:std|fd\/)|proc\/)/.test(path)
}

interface Resolver {
  resolve(path: string): string
}

/** Before the work, whose result would be lost. @throws CallyardError `usage` */
export async function assertWritable(
  file: string,
  { force }: { readonly force: boolean },
  { resolve }: Resolver,
): Promise<void> {
  const path = resolve(file)
  if (isStream(path)) return
  const status = await lstat(path).catch(() => undefined)
  if (status !== undefined && !status.isFile()) throw noRegularFile(file)
  if (status !== undefined && !force) throw fileExists(file)
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
    if (isStream(path)) await appendFile(path, content)
    else if (force) await replaceFile(path, content, { mode: 0o600 })
    else isWritten = await writeNewFile(path, content, 0o600)
  } catch (error) {
    throw notWritten(file, error)
  }
  if (!isWritten) throw fileExists(file)
}

export const noRegularFile = (file: string) =>
  new CallyardError('usage', `${file} is not a regular file`, {
    ...{ code: 'document-no-file', hint: 'choose another name', details: { path: file } },
  })

const fileExists = (path: string) =>
  new CallyardError('usage', `${path} already exists`, {
    code: 'document-exists',
    hint: 'choose another name',
    details: { path },
  })

export function notWritten(path: string, cause: unknown): CallyardError {
  const reason = describeFileError(cause)
  return new CallyardError('usage', `cannot write ${path}: ${reason}`, {
    code: 'document-not-written',
    hint: checkFolder,
    details: { path, reason },
    cause,
  })
}
