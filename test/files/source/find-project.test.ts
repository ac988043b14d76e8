import { mkdir, realpath, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { findProjectFile } from '../../../src/files/source/index.ts'
import type { CallyardError } from '../../../src/lib/error.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

async function project() {
  const folder = await realpath(await temporaryFolder({ 'callyard.yaml': '' }))
  const deep = join(folder, 'a/b')
  const file = join(folder, 'callyard.yaml')
  await mkdir(deep, { recursive: true })
  return { folder, deep, file, owner: (await stat(file)).uid }
}

test('rejects a callyard.yaml of another user with a hint', async () => {
  const { folder, deep, file, owner } = await project()
  const error: CallyardError = await findProjectFile(deep, { env: {}, uid: owner + 1 }).then(
    () => expect.unreachable(),
    thrown => thrown,
  )
  expect(error).toMatchObject({
    kind: 'invalid',
    message: `${file} belongs to another user (uid ${owner}; you are ${owner + 1})`,
    hint: `to trust it, set CALLYARD_SAFE_DIRECTORY=${folder}`,
  })
})

test('finds the user’s own file, and any file on platforms without user ids', async () => {
  const { deep, file, owner } = await project()
  expect(await findProjectFile(deep, { env: {}, uid: owner })).toBe(file)
  expect(await findProjectFile(deep, { env: {} })).toBe(file)
})

test.each([
  ['its folder', (folder: string) => folder],
  ['a link to it', (folder: string) => join(folder, 'link')],
  ['it among others', (folder: string) => ['/nowhere', folder].join(delimiter)],
  ['all', () => '*'],
])('CALLYARD_SAFE_DIRECTORY names %s', async (_, named) => {
  const { folder, deep, file, owner } = await project()
  await symlink(folder, join(folder, 'link'))
  const env = { CALLYARD_SAFE_DIRECTORY: named(folder) }
  expect(await findProjectFile(deep, { env, uid: owner + 1 })).toBe(file)
})

test.each([
  ['nothing', ''],
  ['another folder', '/nowhere'],
  ['a folder above', tmpdir()],
])('CALLYARD_SAFE_DIRECTORY names %s', async (_, named) => {
  const { deep, owner } = await project()
  const env = { CALLYARD_SAFE_DIRECTORY: named }
  await expect(findProjectFile(deep, { env, uid: owner + 1 })).rejects.toThrow('another user')
})

test('trusts the sudo user’s files only as root', async () => {
  const { deep, file, owner } = await project()
  const asOwner = { SUDO_UID: String(owner) }
  // Where the tests themselves run as root, its own file shows nothing.
  if (owner !== 0) expect(await findProjectFile(deep, { env: asOwner, uid: 0 })).toBe(file)
  await expect(findProjectFile(deep, { env: asOwner, uid: owner + 1 })).rejects.toThrow('another user')
})
