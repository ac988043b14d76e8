import { statfsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** More than the files of all tests that run at once. */
const enoughBytes = 4 * 2 ** 30

/**
 * The temporary files of a run of Vitest: one folder, which is removed at its end. It is in memory where there is room: the tests write and
 * sync many small files, and a disk takes a twentieth of their processor time.
 */
export default async function setUpTemporaryFiles(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), 'callwright-tests-'))
  // Some tests run commands as another user.
  await chmod(folder, 0o711)
  process.env.TMPDIR = folder
  return () => rm(folder, { recursive: true, force: true })
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > enoughBytes
  } catch {
    return false
  }
}
