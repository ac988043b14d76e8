import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CallwrightError } from '../../lib/error.ts'
import type { Machine } from '../../lib/fs/durable-write.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import { cannotWrite, replaceFile } from '../../lib/fs/replace-file.ts'
import type { Source } from '../../source/read-source.ts'
import { openSplice } from './splice.ts'

/** A FAQ file that takes ids as they come, and notices when somebody else writes it. */
export interface SplicedFile {
  /** Why this entry cannot take an id; undefined when it can. */
  refusal(index: number): string | undefined
  /** How many lines the ids written so far add above an entry, by index. */
  addedLines(): (index: number) => number
  /** @throws CliError `conflict` when the file is not as it was read, or as it was written last. */
  assertUntouched(): Promise<void>
  /** @throws CliError `usage` when file or folder cannot be written. As far as can be told beforehand. */
  assertWritable(): Promise<void>
  /** Writes the ids, by index of entry, atomically. Never over somebody else's change. */
  assign(ids: ReadonlyMap<number, string>): Promise<void>
}

/** `path` is the real path of the file: a symbolic link keeps pointing where it does. */
export async function openSplicedFile(path: string, source: Source, machine: Machine): Promise<SplicedFile> {
  const splice = await openSplice(source)
  let last = Buffer.from(source.text)
  const assertUntouched = async () => {
    const now = await readFile(path).catch(() => undefined)
    if (now?.equals(last) === true) return
    throw new CallwrightError('conflict', `${source.file} was changed while it was being pushed`, {
      hint: 'it was left as it is now; run again: ids that the service assigned are kept, and are written then',
    })
  }
  return {
    refusal: splice.refusal,
    addedLines: splice.addedLines,
    assertUntouched,
    async assertWritable() {
      for (const each of [path, dirname(path)]) {
        await access(each, constants.W_OK).catch(error => {
          throw cannotWrite(each, error)
        })
      }
    },
    async assign(ids) {
      if (ids.size === 0) return
      await assertUntouched()
      for (const [index, id] of ids) splice.assign(index, id)
      const text = splice.text()
      await replaceFile(path, text, { mode: 0o644, machine })
      last = Buffer.from(text)
    },
  }
}
