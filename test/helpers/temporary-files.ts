import { statfsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** More than the files of all tests that run at once. */
const enoughBytes = 4 * 2 ** 30

/**
 * Creates the folder for temporary files of a run of Vitest, which is removed at its end. It is in memory where there is room: the tests
 * write and sync many small files, and a disk takes a twentieth of their processor time. `own-temporary-files.ts` creates a folder for each
 * test file in it; this check finds what was left there later, by a process that outlived its test.
 */
export default async function setUpTemporaryFiles(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(memoryFolder(), 'callyard-tests-'))
  // Some tests run commands as another user.
  await chmod(folder, 0o711)
  process.env.TMPDIR = folder
  process.env.CALLYARD_TESTS_FOLDER = folder
  return async () => {
    // The browser of a worker ends with the worker, and leaves its profile.
    const left = (await readdir(folder)).filter(name => !name.startsWith('playwright')).sort()
    // A test file without a test to run leaves its folder, which is empty.
    const files = (await Promise.all(left.map(name => filesIn(join(folder, name))))).flat()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    if (files.length === 0) return
    process.exitCode = 1
    const paths = files.join('\n')
    throw new Error(`files were left in the temporary folder after their test file:\n${paths}`)
  }
}

/** Paths in a folder, or the path of a file. */
export async function filesIn(path: string): Promise<string[]> {
  const names = await readdir(path, { recursive: true }).catch(() => undefined)
  return names === undefined ? [path] : names.map(name => join(path, name)).sort()
}

/** A folder in memory, or where there is no room, the one for temporary files. */
export function memoryFolder(): string {
  return hasRoom('/dev/shm') ? '/dev/shm' : tmpdir()
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > enoughBytes
  } catch {
    return false
  }
}
