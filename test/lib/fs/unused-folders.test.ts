import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeUnusedFolders } from '../../../src/lib/fs/unused-folders.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const before = Date.UTC(2026, 0, 8)
const old = Date.UTC(2026, 0, 1) / 1000
const uid = process.geteuid?.()

async function oldFolder(parent: string, name: string) {
  const file = join(parent, name, 'assistants/desk.yaml')
  await mkdir(join(parent, name, 'assistants'), { recursive: true })
  await writeFile(file, 'name: Desk\n')
  for (const path of [file, join(parent, name, 'assistants'), join(parent, name)])
    await utimes(path, old, old)
}

test('removes only an unchanged folder with this name and user', async () => {
  const parent = await temporaryFolder()
  for (const name of ['demo-a', 'demo-b', 'other']) await oldFolder(parent, name)
  await writeFile(join(parent, 'demo-b/assistants/desk.yaml'), 'name: Front desk\n')
  await symlink(join(parent, 'other'), join(parent, 'demo-link'))
  const named = /^demo-/
  removeUnusedFolders(parent, { named, before, uid: 4_000_000 })
  expect(await readdir(parent)).toContain('demo-a')
  removeUnusedFolders(parent, { named, before, uid })
  expect(await readdir(parent)).toEqual(['demo-b', 'demo-link', 'other'])
})

test('a missing folder is not a failure', () => {
  removeUnusedFolders('/nowhere/at/all', { named: /./, before, uid })
})
