import { constants } from 'node:fs'
import { access, lstat, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Context } from '../cli/context.ts'
import { CallwrightError, codeOf } from '../lib/error.ts'
import { cannotWrite, replaceFile, syncFile } from '../lib/fs/replace-file.ts'

/** Before the work, whose result would be lost. @throws CallwrightError `usage` */
export async function assertWritable(
  file: string,
  { force }: { readonly force: boolean },
  { resolve }: Pick<Context, 'resolve'>,
): Promise<void> {
  const path = resolve(file)
  const there = await lstat(path).catch(() => undefined)
  if (there !== undefined && !there.isFile()) {
    throw new CallwrightError('usage', `${file} is no plain file, and is not replaced`, {
      hint: 'give another name',
    })
  }
  if (there !== undefined && !force) throw occupied(file)
  await access(dirname(path), constants.W_OK).catch(error => {
    throw cannotWrite(file, error)
  })
}

/**
 * Writes a file that holds what people said, or records: readable by its owner alone (0600), whole or not at all. A file that
 * is there is replaced only with `force`, and only if it is a plain file.
 * @throws CallwrightError `usage` when it cannot be written, or something is there
 */
export async function writePrivateFile(
  file: string,
  content: string,
  { force }: { readonly force: boolean },
  context: Pick<Context, 'resolve' | 'platform' | 'clock'>,
): Promise<void> {
  await assertWritable(file, { force }, context)
  const path = context.resolve(file)
  try {
    if (force) await replaceFile(path, content, { mode: 0o600, machine: context })
    else await writeNew(path, content)
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? occupied(file) : cannotWrite(file, error)
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

function occupied(file: string): CallwrightError {
  return new CallwrightError('usage', `${file} is there already`, { hint: '--force replaces it' })
}
