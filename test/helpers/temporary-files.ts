import { statfsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** More than the files of all tests that run at once. */
const enoughBytes = 4 * 2 ** 30

/**
 * The temporary files of a run of Vitest: one folder, which is removed at its end. It is in memory where there is room: the tests write and
 * sync many small files, and a disk takes a twentieth of their processor time. Whatever is left in it fails the run: a test did not clean up,
 * or a command left something behind.
 */
export default async function setUpTemporaryFiles(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), 'callyard-tests-'))
  // Some tests run commands as another user.
  await chmod(folder, 0o711)
  process.env.TMPDIR = folder
  return async () => {
    // The browser of a worker ends with the worker, and leaves its profile.
    const left = (await readdir(folder)).filter(name => !name.startsWith('playwright')).sort()
    await rm(folder, { recursive: true, force: true })
    if (left.length === 0) return
    process.exitCode = 1
    throw new Error(`tests left ${left.length} files in the temporary folder: ${left.join(', ')}`)
  }
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > enoughBytes
  } catch {
    return false
  }
}
