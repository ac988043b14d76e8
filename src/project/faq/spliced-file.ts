import { createHash } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Source } from '../../files/source/index.ts'
import { encodeText } from '../../files/text/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { watchFile } from '../../lib/fs/read-file.ts'
import { cannotWrite, replaceLocked } from '../../lib/fs/replace-file.ts'
import { hashContent } from '../../lib/hash.ts'
import { openSplice, type Splice } from './splice.ts'

/**
 * A FAQ file that stores new ids and detects writes by other processes. `path` is the real path of the file: a symbolic link stays.
 * `replaced` are the indexes of entries whose id is replaced.
 */
export function openSplicedFile(path: string, source: Source, replaced: ReadonlySet<number> = new Set()) {
  let splice: Splice | undefined
  // Strings of UTF-8 are written in larger blocks.
  const encode = (text: string) => (source.encoding === 'utf-8' ? text : encodeText(text, source.encoding))
  let watch = watchFile(path, hashContent(encode(source.text)))
  let added: ((index: number) => number) | undefined
  const open = async () => {
    splice ??= await openSplice(source, replaced)
    return splice
  }
  /** @throws CallyardError `conflict` when the file is not as it was read, or as it was written last. */
  const assertUntouched = async () => {
    if (await watch.isUntouched()) return
    const { file } = source
    throw new CallyardError('conflict', `${file} was changed while it was being pushed`, {
      code: 'file-changed',
      hint: 'the file was left unchanged; run again to write the ids that the service assigned',
      details: { file },
    })
  }
  return {
    /** Says why an entry cannot take an id. Places are looked for when they are first needed. */
    refusal: async () => (await open()).refusal,
    lengthWith: async (indexes: Iterable<number>, idLength: number) =>
      (await open()).lengthWith(indexes, idLength),
    /** Returns the number of lines that written ids add above each entry. */
    addedLines() {
      added ??= splice?.addedLines() ?? (() => 0)
      return added
    },
    assertUntouched,
    /** @throws CallyardError `usage` when file or folder cannot be written. As far as it is known beforehand. */
    async assertWritable() {
      for (const target of [path, dirname(path)]) {
        await access(target, constants.W_OK).catch(error => {
          throw cannotWrite(target, error)
        })
      }
    },
    /** Writes the ids of these entries, atomically. Never over another process's change. `ids` are by index of entry. */
    async assign(indexes: readonly number[], ids: readonly (string | undefined)[]) {
      if (indexes.length === 0) return
      await assertUntouched()
      const { assign, chunks } = await open()
      for (const index of indexes) assign(index, ids[index] ?? '')
      let hash = createHash('sha256')
      // May run twice: writing is retried.
      await replaceLocked(path, function* () {
        hash = createHash('sha256')
        for (const chunk of chunks()) {
          const bytes = encode(chunk)
          hash.update(bytes)
          yield bytes
        }
      })
      watch = watchFile(path, hash.digest('base64url'))
      added = undefined
    },
  }
}

export type SplicedFile = ReturnType<typeof openSplicedFile>
