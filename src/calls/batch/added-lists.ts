import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CallyardError, fileError, getErrorCode } from '../../lib/error.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import type { BatchState } from './state.ts'

/** Path of a list that `batch add` makes: other machines write it, too. */
const addedList = /^lists\/[0-9a-f]{8}-[^/\\]+$/

/**
 * Writes the lists that were added on other machines to the folder of a batch.
 * @throws CallyardError `conflict` for a path that is not that of an added list, `usage` if one cannot be written
 */
export async function saveAddedLists({ contents }: BatchState, folder: string): Promise<void> {
  for (const [list, content] of contents) {
    if (!addedList.test(list))
      throw new CallyardError('conflict', `the added list ${JSON.stringify(list)} has an unexpected path`)
    const path = join(folder, list)
    try {
      await makeFolder(join(folder, 'lists'), 0o700)
      await writeFile(path, Buffer.from(content, 'base64'), { mode: 0o600, flag: 'wx', flush: true })
    } catch (error) {
      if (getErrorCode(error) === 'EEXIST') continue
      throw fileError(`${path} cannot be written`, error)
    }
  }
}
