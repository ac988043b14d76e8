import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { watchFolders } from '../../../src/lib/fs/watch-folders.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

/** Watches a folder; what changes is collected until it is waited for. */
async function watched(folder: string, { below = true } = {}) {
  const changed = new Set<string>()
  let wake = () => {}
  const watch = watchFolders({
    clock: systemClock,
    onChange(files) {
      for (const file of files) changed.add(file)
      wake()
    },
    onUnwatched: (path, reason) => expect.unreachable(`${path}: ${reason}`),
  })
  onTestFinished(() => watch.close())
  await watch.add(folder, { below })
  return {
    add: watch.add,
    /** Resolves once these have changed, and forgets them. */
    async sees(...files: string[]) {
      while (!files.every(file => changed.has(file)))
        await new Promise<void>(resolve => {
          wake = resolve
        })
      const seen = [...changed]
      changed.clear()
      return seen
    },
  }
}

test('files that are written, replaced, created and removed, in subfolders too', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'a', 'b', 'test.yaml')
  await mkdir(join(folder, 'a', 'b'), { recursive: true })
  await writeFile(file, 'one')
  const changes = await watched(folder)
  await writeFile(file, 'two')
  expect(await changes.sees(file)).toEqual([file])
  await writeFile(`${file}.new`, 'three')
  await rename(`${file}.new`, file)
  await changes.sees(file)
  await rm(file)
  await changes.sees(file)
  const other = join(folder, 'a', 'other.yaml')
  await writeFile(other, '')
  await changes.sees(other)
})

test('added, moved and replaced folders', async () => {
  const folder = await temporaryFolder()
  const changes = await watched(folder)
  await mkdir(join(folder, 'new', 'deep'), { recursive: true })
  await writeFile(join(folder, 'new', 'deep', 'x.yaml'), '1')
  await changes.sees(join(folder, 'new', 'deep', 'x.yaml'))
  await rename(join(folder, 'new'), join(folder, 'moved'))
  await changes.sees(join(folder, 'new', 'deep', 'x.yaml'), join(folder, 'moved', 'deep', 'x.yaml'))
  await rm(join(folder, 'moved'), { recursive: true })
  await mkdir(join(folder, 'moved', 'deep'), { recursive: true })
  await writeFile(join(folder, 'moved', 'deep', 'x.yaml'), '2')
  await changes.sees(join(folder, 'moved', 'deep', 'x.yaml'))
  await writeFile(join(folder, 'moved', 'deep', 'x.yaml'), '22')
  await changes.sees(join(folder, 'moved', 'deep', 'x.yaml'))
})

test('hidden files, node_modules, and folders that are not asked for are left out', async () => {
  const folder = await temporaryFolder()
  for (const name of ['.git', 'node_modules', 'below']) await mkdir(join(folder, name))
  const changes = await watched(folder, { below: false })
  for (const name of ['.git/x', 'node_modules/x', 'below/x', '.swp', 'last']) {
    await writeFile(join(folder, name), 'x')
  }
  expect(await changes.sees(join(folder, 'last'))).toEqual([join(folder, 'last')])
})

test('a change is seen if the folders below are added before it is compared', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'test.yaml')
  await writeFile(file, 'one')
  const changes = await watched(folder, { below: false })
  await writeFile(file, 'other')
  await changes.add(folder, { below: true })
  expect(await changes.sees(file)).toEqual([file])
})

test('only what changes is seen of a folder that is added meanwhile', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'a'))
  for (let index = 0; index < 200; index++) await writeFile(join(folder, 'a', `${index}.yaml`), '')
  const changes = await watched(folder, { below: false })
  const added = changes.add(folder, { below: true })
  await writeFile(join(folder, 'last.yaml'), '')
  await added
  await writeFile(join(folder, 'a', '7.yaml'), 'x')
  const seen = await changes.sees(join(folder, 'last.yaml'), join(folder, 'a', '7.yaml'))
  expect(seen).toHaveLength(2)
})
