import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isBuilt, noteBuilding, noteBuilt } from '../../scripts/build-stamp.js'
import { packedPackage } from '../../scripts/pack.js'
import { temporaryFolder } from '../helpers/folders.ts'

/** A checkout whose files changed an hour ago, and that was built a minute later. */
async function checkout() {
  const root = await temporaryFolder()
  const changedAt = Date.now() - 3_600_000
  for (const folder of ['src/deep', 'docs', 'scripts', 'dist', 'node_modules'])
    await mkdir(join(root, folder), { recursive: true })
  const files = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.browser.json',
    'node_modules/.package-lock.json',
    'src/deep/file.ts',
    'docs/webhooks.md',
    'scripts/build.js',
  ]
  for (const file of files) await writeFile(join(root, file), '')
  const change = async (path: string, at: number) => utimes(join(root, path), at / 1000, at / 1000)
  for (const path of ['src/deep', 'src', 'docs', 'scripts', ...files]) await change(path, changedAt)
  await noteBuilt(root, changedAt + 60_000)
  return { root, change, builtAt: changedAt + 60_000 }
}

test('what was built is current until a source, a script or a package changes', async () => {
  for (const path of [
    'src/deep/file.ts',
    'scripts/build.js',
    'docs/webhooks.md',
    'package.json',
    'node_modules/.package-lock.json',
  ]) {
    const { root, change, builtAt } = await checkout()
    expect(await isBuilt(root)).toBe(true)
    await change(path, builtAt + 1000)
    expect(await isBuilt(root)).toBe(false)
  }
})

test('a file that is removed, and one that changes during the build, need another build', async () => {
  const { root, change, builtAt } = await checkout()
  await rm(join(root, 'src/deep/file.ts'))
  expect(await isBuilt(root)).toBe(false)
  await noteBuilt(root, Date.now() + 1000)
  expect(await isBuilt(root)).toBe(true)
  await change('package.json', builtAt)
  await noteBuilt(root, builtAt)
  expect(await isBuilt(root)).toBe(false)
})

test('without dist/, and while a build is in progress or was interrupted, it is not current', async () => {
  const { root, builtAt } = await checkout()
  await noteBuilding(root)
  expect(await isBuilt(root)).toBe(false)
  await noteBuilt(root, builtAt)
  await rm(join(root, 'dist'), { recursive: true })
  expect(await isBuilt(root)).toBe(false)
})

test('a source of the build or of the package that does not exist is an error', async () => {
  const { root } = await checkout()
  await rm(join(root, 'tsconfig.browser.json'))
  await expect(isBuilt(root)).rejects.toThrow('tsconfig.browser.json does not exist')
  const files = {
    'package.json': '{ "files": ["bin", "docs/*.md"] }',
    'README.md': '',
    LICENSE: '',
    'docs/speed.md': '',
  }
  await expect(packedPackage(await temporaryFolder(files))).rejects.toThrow('bin does not exist')
})
