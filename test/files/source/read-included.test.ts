import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { readText } from '../../../src/files/source/index.ts'
import { readIncluded } from '../../../src/files/source/read-text.ts'

/** `project/` beside `private/`, and links from one into the other. */
async function folders(parent = tmpdir()): Promise<string> {
  const made = await mkdtemp(join(parent, 'callyard-included-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  const folder = await realpath(made)
  for (const each of ['project/assistants', 'project/prompts', 'project/.git', 'project-2', 'private'])
    await mkdir(join(folder, each), { recursive: true })
  const hidden = ['project/..dots.md', 'project/.env', 'project/.git/config']
  for (const file of ['project/prompts/own.md', 'project-2/near.md', 'private/key', ...hidden])
    await writeFile(join(folder, file), `text of ${file}`)
  await symlink('../.env', join(folder, 'project/prompts/env.md'))
  await symlink('.git', join(folder, 'project/git'))
  await symlink('../../private/key', join(folder, 'project/prompts/link.md'))
  await symlink('../private', join(folder, 'project/prompts-of-a-friend'))
  await symlink('prompts', join(folder, 'project/inner'))
  await symlink('project', join(folder, 'way'))
  return folder
}

const include = (folder: string, name: string, { allowOutsideFiles = false, project = 'project' } = {}) =>
  readIncluded(name, {
    includingFile: join(folder, project, 'assistants/a.yaml'),
    folder: join(folder, project),
    allowOutsideFiles,
  })

test.each([
  ['../prompts/own.md'],
  ['../inner/own.md'],
  ['../assistants/../prompts/own.md'],
  ['../../project/prompts/own.md'],
])('%s is in the project', async name => {
  const folder = await folders()
  const own = { text: 'text of project/prompts/own.md', path: 'prompts/own.md' }
  expect(await include(folder, name)).toEqual(own)
  expect(await include(folder, name, { project: 'way' })).toEqual(own)
})

test('accepts a name that starts with two dots', async () => {
  const found = await include(await folders(), '../..dots.md', { allowOutsideFiles: true })
  expect(found).toEqual({ text: 'text of project/..dots.md', path: '..dots.md' })
})

test.each([
  ['../.env', '.env'],
  ['../.git/config', '.git/config'],
  ['../..dots.md', '..dots.md'],
  ['../prompts/env.md', '.env'],
  ['../git/config', '.git/config'],
])('%s is hidden, and read only if allowed', async (name, path) => {
  const folder = await folders()
  const error = { code: 'hidden-file', message: expect.any(String), hint: expect.any(String) }
  expect(await include(folder, name)).toEqual({ error })
  expect(await include(folder, name, { allowOutsideFiles: true })).toEqual({
    text: `text of project/${path}`,
    path,
  })
})

test('does not look for a missing hidden file', async () => {
  expect(await include(await folders(), '../.netrc')).toMatchObject({ error: { code: 'hidden-file' } })
})

test('reads a project inside a hidden folder', async () => {
  const folder = await folders()
  await rename(join(folder, 'project'), join(folder, '.project'))
  const own = { text: 'text of project/prompts/own.md', path: 'prompts/own.md' }
  expect(await include(folder, '../prompts/own.md', { project: '.project' })).toEqual(own)
})

test('accepts the real path of a project that was found through a link', async () => {
  const folder = await folders()
  const name = join(folder, 'project/prompts/own.md')
  expect(await include(folder, name, { project: 'way' })).toMatchObject({ text: expect.any(String) })
})

test.each([
  ['../../private/key'],
  ['../../private/not-there'],
  ['../prompts/../../private/key'],
  ['../../project-2/near.md'],
  ['../prompts/link.md'],
  ['../prompts-of-a-friend/key'],
  ['/etc/passwd'],
  ['/proc/self/environ'],
  ['../../../../../../../../../../dev/stdin'],
])('%s is outside, and not read', async name => {
  const folder = await folders()
  expect(await include(folder, name)).toEqual({
    error: {
      code: 'outside-file',
      message: `the file is outside ${folder}/project`,
      hint: 'move it there',
    },
  })
})

test.each([
  ['../../private/key', 'private/key'],
  ['../prompts/link.md', 'private/key'],
  ['../prompts-of-a-friend/key', 'private/key'],
])('%s is read if allowed, and marked as outside', async (name, file) => {
  const folder = await folders()
  expect(await include(folder, name, { allowOutsideFiles: true })).toEqual({
    text: `text of ${file}`,
    path: join(folder, file),
  })
})

test('does not mark an allowed file in the project as outside', async () => {
  const found = await include(await folders(), '../prompts/own.md', { allowOutsideFiles: true })
  expect(found).toEqual({ text: 'text of project/prompts/own.md', path: 'prompts/own.md' })
})

test.each(['/proc/self/environ', '/dev/null', '/dev/zero', '/sys/kernel/uevent_seqnum'])(
  '%s is not a file, with any permission',
  async name => {
    const found = await include(await folders(), name, { allowOutsideFiles: true })
    expect(found).toEqual({
      error: {
        code: expect.stringMatching(/^(?:not-a-file|missing-file)$/),
        message: expect.stringMatching(/not a text file|no such file/),
        hint: expect.any(String),
      },
    })
  },
)

test.runIf(existsSync('/dev/shm'))('reads a project on a disk in memory', async () => {
  const found = await include(await folders('/dev/shm'), '../prompts/own.md')
  expect(found).toEqual({ text: 'text of project/prompts/own.md', path: 'prompts/own.md' })
})

test.skipIf(process.platform === 'win32')(
  'ignores a pipe in the project without waiting for it',
  async () => {
    const folder = await folders()
    await execa('mkfifo', [join(folder, 'project/prompts/pipe.md')])
    expect(await include(folder, '../prompts/pipe.md')).toEqual({
      error: { code: 'not-a-file', message: 'this is a named pipe, not a file', hint: 'name a regular file' },
    })
  },
)

test('rejects a resolved path that contains a link by the time it is opened', async () => {
  const folder = await folders()
  for (const path of ['project/prompts/link.md', 'project/prompts-of-a-friend/key', 'way/prompts/own.md'])
    expect(await readText(join(folder, path), { exactPath: true })).toMatchObject({
      error: { code: 'unreadable' },
    })
  const real = join(folder, 'private/key')
  expect(await readText(real, { exactPath: true })).toMatchObject({ text: 'text of private/key' })
  expect(await readText(dirname(real), { exactPath: true })).toMatchObject({ error: { code: 'is-a-folder' } })
})
