import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { copyOldTree } from '../../../src/lib/process/git-tree.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { temporaryFolder } from '../../helpers/run-bin.ts'
import { reaped } from './reaped.ts'

const { signal } = new AbortController()

/** A repository with a project in a folder, in two versions; the second is the one that lies there, and is changed since. */
async function repository() {
  const root = await temporaryFolder()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const write = (text: string) => writeFile(join(root, 'desk with space', 'callwright.yaml'), text)
  const commit = () => {
    git('add', '.')
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', 'change')
  }
  git('init', '--quiet', '--initial-branch=main')
  await writeFile(join(root, 'other.txt'), 'not of the project')
  commit()
  git('tag', 'before-desk')
  await mkdir(join(root, 'desk with space', 'tools'), { recursive: true })
  await writeFile(join(root, 'desk with space', 'tools', 'book.yaml'), 'type: function\n')
  await write('first: 1\n')
  commit()
  git('tag', 'v1')
  await write('second: 2\n')
  commit()
  await write('not committed\n')
  const temporary = await temporaryFolder()
  const copy = (version: string, folder = join(root, 'desk with space'), env = process.env) =>
    copyOldTree({ folder, version, temporary, env, clock: realClock, signal })
  const copyUntil = (cancelled: AbortSignal) =>
    copyOldTree({
      folder: join(root, 'desk with space'),
      version: 'v1',
      temporary,
      env: process.env,
      clock: realClock,
      signal: cancelled,
    })
  return { root, git, temporary, copy, copyUntil }
}

test('a folder is copied as a version had it, and neither the repository nor the folder is touched', async () => {
  const { root, git, temporary, copy } = await repository()
  const before = git('status', '--porcelain')
  for (const [version, text] of [
    ['v1', 'first: 1\n'],
    ['main', 'second: 2\n'],
    ['HEAD~1', 'first: 1\n'],
  ] as const) {
    const tree = await copy(version)
    if ('failure' in tree) throw new Error(tree.failure)
    expect(await readFile(join(tree.folder, 'callwright.yaml'), 'utf8')).toBe(text)
    expect((await readdir(tree.folder)).sort()).toEqual(['callwright.yaml', 'tools'])
    await tree.remove()
  }
  expect(await readdir(temporary)).toEqual([])
  expect(git('status', '--porcelain')).toBe(before)
  expect(await readFile(join(root, 'desk with space', 'callwright.yaml'), 'utf8')).toBe('not committed\n')
})

test('the variables of a hook do not lead to another repository', async () => {
  const { copy } = await repository()
  const elsewhere = await temporaryFolder()
  const tree = await copy('v1', undefined, {
    ...process.env,
    GIT_DIR: join(elsewhere, '.git'),
    GIT_INDEX_FILE: join(elsewhere, 'index'),
  })
  expect(tree).toHaveProperty('folder')
})

test('what cannot be copied says why, and leaves nothing behind', async () => {
  const { copy, temporary } = await repository()
  for (const version of ['no-such-branch', '--help', '', 'v1:other.txt'])
    expect(await copy(version), version).toMatchObject({ failure: 'no-version' })
  expect(await copy('before-desk')).toMatchObject({ failure: 'no-folder' })
  expect(await copy('v1', await temporaryFolder())).toMatchObject({ failure: 'no-repository' })
  expect(await copy('v1', undefined, { ...process.env, PATH: '/nonexistent' })).toMatchObject({
    failure: 'no-git',
  })
  expect(await readdir(temporary)).toEqual([])
})

test('a run that is cancelled leaves nothing behind', async () => {
  const { temporary, copyUntil } = await repository()
  const cancelled = new AbortController()
  cancelled.abort(new Error('cancelled'))
  const copying = copyUntil(cancelled.signal)
  await expect(copying).rejects.toThrow('cancelled')
  expect(await readdir(temporary)).toEqual([])
})

test('a run that is cancelled midway ends git and the filters that git started', async () => {
  const { root, git, temporary, copyUntil } = await repository()
  const begun = join(temporary, 'filter')
  git('config', 'filter.slow.smudge', `echo $$ > '${begun}'; sleep 60`)
  await writeFile(join(root, '.git', 'info', 'attributes'), '*.yaml filter=slow\n')
  const cancelled = new AbortController()
  const copying = copyUntil(cancelled.signal)
  const pid = await vi.waitUntil(() => readFile(begun, 'utf8').then(Number, () => 0))
  cancelled.abort(new Error('cancelled'))
  await expect(copying).rejects.toThrow('cancelled')
  await reaped(pid)
  expect(await readdir(temporary)).toEqual(['filter'])
})
