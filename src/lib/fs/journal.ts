import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../error.ts'
import type { FileLock } from './file-lock.ts'
import { type Disk, type LineFile, openLineFile } from './line-file.ts'
import { readFile } from './read-file.ts'
import { cannotWrite, syncFolder } from './replace-file.ts'

export interface JournalOptions {
  readonly disk?: Disk | undefined
  /** Lock that protects the file. */
  readonly lock?: Pick<FileLock, 'isHeld'> | undefined
}

/** Opens a file of steps, a line of JSON each, that survive a power cut. The first step creates it, and its folder. */
export function createJournal(path: string, { disk, lock }: JournalOptions = {}) {
  const folder = dirname(path)
  let file: LineFile | undefined
  const open = async () => {
    await mkdir(folder, { recursive: true })
    return openLineFile(path, disk)
  }
  return {
    /** From its first step on, until it is closed. */
    get isOpen() {
      return file !== undefined
    },
    get isEmpty() {
      return file === undefined || file.size() === 0
    },
    /** @throws CallwrightError `usage` when it cannot be written; a part of them may stand in it, cut off. */
    async append(steps: readonly object[]) {
      try {
        file ??= await open()
        if (!file.exists()) throw new Error('it was removed while it was in use')
        if (file.torn) throw new Error('its last line was cut off')
        const isNew = file.size() === 0
        await file.appendSynced(Buffer.from(toLines(steps)))
        // A file that was made just now, in a folder that may be as new, has no name after a power cut.
        if (isNew) for (const each of [folder, dirname(folder)]) await syncFolder(each)
        // A process that has taken the lock over may have read the file before these lines were added, and removed it.
        if (lock?.isHeld() === false) throw new Error('another process took its lock')
      } catch (error) {
        throw cannotWrite(path, error)
      }
    },
    exists: () => file?.exists() === true,
    close() {
      file?.close()
      file = undefined
    },
  }
}

export function toLines(steps: readonly object[]): string {
  return steps.map(step => `${JSON.stringify(step)}\n`).join('')
}

/**
 * Returns the steps of a journal; undefined if there is none. A torn last line was never acknowledged: it counts only if just its
 * newline is missing.
 * @throws the error of the system for what cannot be read; without a code, what `parse` throws for a line
 */
export async function readJournalLines<Step>(
  path: string,
  parse: (value: unknown) => Step,
): Promise<readonly Step[] | undefined> {
  const bytes = await readFile(path).catch(error => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  })
  if (bytes === undefined) return undefined
  const lines = bytes.toString('utf8').split('\n')
  const last = lines.pop() ?? ''
  const read = (line: string) => parse(JSON.parse(line))
  const steps = lines.filter(line => line !== '').map(read)
  try {
    if (last !== '') steps.push(read(last))
  } catch {}
  return steps
}
