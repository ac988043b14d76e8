import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
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
  const write = (text: string) => writeFile(join(root, 'desk with space', 'callyard.yaml'), text)
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
  const copyUntil = (cancelled: AbortSignal, env: NodeJS.ProcessEnv = process.env) =>
    copyOldTree({
      folder: join(root, 'desk with space'),
      version: 'v1',
      temporary,
      env,
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
    expect(await readFile(join(tree.folder, 'callyard.yaml'), 'utf8')).toBe(text)
    expect((await readdir(tree.folder)).sort()).toEqual(['callyard.yaml', 'tools'])
    await tree.remove()
  }
  expect(await readdir(temporary)).toEqual([])
  expect(git('status', '--porcelain')).toBe(before)
  expect(await readFile(join(root, 'desk with space', 'callyard.yaml'), 'utf8')).toBe('not committed\n')
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

test('reports why something cannot be copied, and leaves nothing behind', async () => {
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

test('a canceled run leaves nothing behind', async () => {
  const { temporary, copyUntil } = await repository()
  const cancelled = new AbortController()
  cancelled.abort(new Error('cancelled'))
  const copying = copyUntil(cancelled.signal)
  await expect(copying).rejects.toThrow('cancelled')
  expect(await readdir(temporary)).toEqual([])
})

test('canceling a run ends git', async () => {
  const { temporary, copyUntil } = await repository()
  const programs = await temporaryFolder()
  const begun = join(programs, 'begun')
  await writeFile(join(programs, 'git'), `#!/bin/sh\necho $$ > '${begun}'\nexec sleep 60\n`, { mode: 0o755 })
  const cancelled = new AbortController()
  const copying = copyUntil(cancelled.signal, { PATH: `${programs}:${process.env.PATH}` })
  const pid = await vi.waitUntil(() => readFile(begun, 'utf8').then(Number, () => 0))
  cancelled.abort(new Error('cancelled'))
  await expect(copying).rejects.toThrow('cancelled')
  await reaped(pid)
  expect(await readdir(temporary)).toEqual([])
})

test('runs none of the programs that a nested bare repository configures', async () => {
  const { root, copy } = await repository()
  const marker = join(root, 'ran')
  const run = `sh -c 'echo > ${marker}; exit 1'`
  const hostile = join(root, 'hostile')
  execFileSync('git', ['clone', '--quiet', '--bare', root, hostile])
  const config = (name: string, value: string) =>
    execFileSync('git', ['--git-dir', hostile, 'config', name, value])
  config('core.bare', 'false')
  config('core.worktree', '.')
  config('core.fsmonitor', run)
  config('filter.lfs.smudge', run)
  config('filter.lfs.process', run)
  config('filter.lfs.required', 'true')
  await writeFile(join(hostile, 'callyard.yaml'), '{}\n')
  await writeFile(join(hostile, '.gitattributes'), '* filter=lfs\n')
  // Git itself, asked as before, runs one of them.
  execFileSync('git', ['status'], { cwd: hostile, stdio: 'ignore' })
  expect(await readdir(root)).toContain('ran')
  await rm(marker)
  expect(await copy('main', hostile)).toMatchObject({ failure: 'no-repository' })
  expect(await readdir(root)).not.toContain('ran')
})

test('a repository with a hostile configuration is copied without its programs', async () => {
  const { root, git, copy } = await repository()
  const marker = join(root, 'ran')
  const run = `echo > '${marker}'; exit 1;`
  for (const name of [
    'core.fsmonitor',
    'core.sshCommand',
    'core.pager',
    'diff.x.textconv',
    'filter.x.smudge',
    'filter.x.process',
  ])
    git('config', name, run)
  git('config', 'filter.x.required', 'true')
  await writeFile(join(root, '.git', 'info', 'attributes'), '* filter=x diff=x\n')
  const tree = await copy('v1')
  if ('failure' in tree) throw new Error(tree.message)
  expect(await readFile(join(tree.folder, 'callyard.yaml'), 'utf8')).toBe('first: 1\n')
  expect(await readdir(root)).not.toContain('ran')
})

test('a missing object is not fetched by a program of the repository', async () => {
  const { root, git, copy } = await repository()
  const marker = join(root, 'ran')
  const id = git('rev-parse', 'v1:desk with space/callyard.yaml').trim()
  await rm(join(root, '.git', 'objects', id.slice(0, 2), id.slice(2)))
  git('config', 'core.repositoryFormatVersion', '1')
  git('config', 'extensions.partialClone', 'origin')
  git('config', 'remote.origin.url', root)
  git('config', 'remote.origin.promisor', 'true')
  git('config', 'remote.origin.uploadpack', `sh -c 'echo > ${marker}'`)
  git('config', 'protocol.file.allow', 'always')
  expect(() => execFileSync('git', ['cat-file', '-p', id], { cwd: root, stdio: 'ignore' })).toThrow()
  expect(await readdir(root)).toContain('ran')
  await rm(marker)
  expect(await copy('v1')).toMatchObject({ failure: 'not-copied' })
  expect(await readdir(root)).not.toContain('ran')
})

test('submodules and links that lead out of the folder are left out, other links stay', async () => {
  const { root, git, copy } = await repository()
  const folder = join(root, 'desk with space')
  await symlink('callyard.yaml', join(folder, 'inside'))
  await symlink('../other.txt', join(folder, 'outside'))
  await symlink('/etc/hosts', join(folder, 'absolute'))
  await symlink('..', join(folder, 'tools', 'up'))
  // Inside by its letters, outside by what they lead to.
  await symlink('tools/up/../other.txt', join(folder, 'around'))
  await writeFile(join(folder, 'odd\nname \\ "x".txt'), 'odd')
  git('add', '.')
  git(
    'update-index',
    '--add',
    '--cacheinfo',
    `160000,${git('rev-parse', 'v1').trim()},desk with space/module`,
  )
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', 'links')
  const tree = await copy('main')
  if ('failure' in tree) throw new Error(tree.message)
  expect((await readdir(tree.folder)).sort()).toEqual(
    ['callyard.yaml', 'inside', 'odd\nname \\ "x".txt', 'tools'].sort(),
  )
  expect(await readdir(join(tree.folder, 'tools'))).toEqual(['book.yaml', 'up'])
  expect(await readFile(join(tree.folder, 'inside'), 'utf8')).toBe('not committed\n')
})

test.each(['..', 'a/../../x', '.git'])(
  'writes nothing outside the copy for a tree with the name %j',
  async name => {
    const { root, temporary, copy } = await repository()
    const { raw, commitOf } = byHand(root)
    const file = raw('blob', 'hostile')
    const inner = raw('tree', entry('100644', 'x', file))
    const project = raw(
      'tree',
      name.includes('/') ? entry('100644', name, file) : entry('40000', name, inner),
    )
    expect(await copy(commitOf(project))).toMatchObject({ failure: 'not-copied' })
    expect(await readdir(temporary)).toEqual([])
  },
)

test('writes nothing through a link in a tree that has a folder of the same name', async () => {
  const { root, copy } = await repository()
  const outside = await temporaryFolder()
  const { raw, commitOf } = byHand(root)
  const file = raw('blob', 'hostile')
  const link = raw('blob', outside)
  const inner = raw('tree', Buffer.concat([entry('120000', 'link', link), entry('100644', 'x', file)]))
  const project = raw('tree', Buffer.concat([entry('120000', 'both', link), entry('40000', 'both', inner)]))
  const tree = await copy(commitOf(project))
  expect(await readdir(outside)).toEqual([])
  if (!('failure' in tree)) expect(await readdir(join(tree.folder, 'both'))).toEqual(['x'])
})

/** Objects that git would not write itself. */
function byHand(root: string) {
  const run = (args: readonly string[], input: string | Buffer = '') =>
    execFileSync('git', args, { cwd: root, input }).toString().trim()
  const raw = (type: string, input: string | Buffer) =>
    run(['hash-object', '-t', type, '-w', '--stdin', '--literally'], input)
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  return {
    raw,
    commitOf: (project: string) =>
      run([...author, 'commit-tree', raw('tree', entry('40000', 'desk with space', project)), '-m', 'x']),
  }
}

function entry(mode: string, name: string, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
}
