import { mkdtempSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Content of files by their path in a folder. */
export type Files = Readonly<Record<string, string | Uint8Array>>

/** Creates a folder with these files in a test or its `beforeEach`; removed with the test. */
export async function temporaryFolder(files: Files = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFiles(folder, files)
  return folder
}

/** Creates an empty folder for all tests of a file or a `describe`. Call it outside of tests and hooks. */
export function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'callyard-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Writes files, and creates the folders that they need. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
}

/** Content of a file, or undefined if it does not exist. */
export async function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** True if a file or folder exists. */
export async function isPresent(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
