import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { filesIn } from './temporary-files.ts'

// Runs before each test file: its temporary files get a folder of their own, and what is left there fails the file.
const { CALLYARD_TESTS_FOLDER: parent = tmpdir() } = process.env
const name = basename(expect.getState().testPath ?? 'test', '.test.ts')
const folder = mkdtempSync(join(parent, `${name}-`))
// Some tests run commands as another user.
chmodSync(folder, 0o711)
process.env.TMPDIR = folder

afterAll(async () => {
  process.env.TMPDIR = parent
  const files = await filesIn(folder)
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  if (files.length > 0) throw new Error(`tests left files in the temporary folder:\n${files.join('\n')}`)
})
