import { symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { findFiles } from '../../../src/files/source/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

/** A folder with these empty files. */
const folderWith = (...files: string[]) => temporaryFolder(Object.fromEntries(files.map(file => [file, ''])))

test('does not report files outside the resource folders of a project', async () => {
  const cwd = await folderWith(
    'desk/callyard.yaml',
    'desk/callyard.lock.yaml',
    'desk/package.json',
    'desk/schemas/tool.schema.json',
    'desk/ci/github-actions.yaml',
    'desk/tools/book.yaml',
  )
  for (const given of ['.', 'desk', '**/*.{yaml,json}']) {
    const { files, skipped } = await findFiles([given], { cwd })
    expect(files.map(({ kind }) => kind).sort()).toEqual(['project', 'tool'])
    expect(skipped).toEqual([])
  }
})

test('reports misspelled resource folders in a project, and all folders outside a project', async () => {
  const cwd = await folderWith(
    'desk/callyard.yaml',
    'desk/assistant/a.yaml',
    'desk/Tools/deep/t.yaml',
    'desk2/notes.yaml',
    'package.json',
  )
  const { skipped } = await findFiles(['.'], { cwd })
  expect(skipped).toEqual([
    'desk/Tools/deep/t.yaml',
    'desk/assistant/a.yaml',
    'desk2/notes.yaml',
    'package.json',
  ])
})

test('reports a folder of a project that is named explicitly', async () => {
  const cwd = await folderWith('callyard.yaml', 'ci/github-actions.yaml')
  const { skipped, diagnostics } = await findFiles(['ci'], { cwd })
  expect(skipped).toEqual(['ci/github-actions.yaml'])
  expect(diagnostics).toMatchObject([{ code: 'no-files' }])
})

test('the case of an extension makes no difference', async () => {
  const names = ['assistants/Other.YAML', 'knowledge-bases/FAQ.CSV', 'tools/Book.Json', 'tests/a.test.YML']
  const cwd = await folderWith('callyard.yaml', ...names, 'batches/List.CSV', 'batches/week.Yaml')
  const { files, skipped } = await findFiles(['.'], { cwd })
  expect(files.map(({ path }) => relative(cwd, path)).sort()).toEqual(
    [...names, 'batches/week.Yaml', 'callyard.yaml'].sort(),
  )
  expect(skipped).toEqual([])
})

describe('paths that cannot be read are errors', () => {
  const problems = async (cwd: string, given = '.') =>
    (await findFiles([given], { cwd })).diagnostics.map(({ file, code, message }) => [file, code, message])
  const dangling = 'this is a broken link'

  test('broken links and link loops', async () => {
    const cwd = await folderWith('callyard.yaml', 'tools/a.yaml')
    await symlink('nowhere', join(cwd, 'tests'))
    await symlink('gone.yaml', join(cwd, 'tools/b.yaml'))
    await symlink('gone', join(cwd, 'tools/more'))
    await symlink('assistants', join(cwd, 'assistants'))
    expect(await problems(cwd)).toEqual([
      ['assistants', 'unreadable', 'this link points to itself'],
      ['tests', 'unreadable', dangling],
      ['tools/b.yaml', 'unreadable', dangling],
      ['tools/more', 'unreadable', dangling],
    ])
    expect(await problems(cwd, 'tools')).toHaveLength(2)
  })

  test.skipIf(process.platform === 'win32')('pipes instead of files', async () => {
    const cwd = await folderWith('callyard.yaml', 'tests/a.test.yaml')
    await execa('mkfifo', [join(cwd, 'tests/b.test.yaml')])
    expect(await problems(cwd)).toEqual([
      ['tests/b.test.yaml', 'unreadable', 'this is a named pipe, not a file'],
    ])
  })

  test('other folders of a project are ignored', async () => {
    const cwd = await folderWith('callyard.yaml', 'notes/a.md')
    await symlink('nowhere', join(cwd, 'data'))
    await symlink('nowhere.md', join(cwd, 'tools.md'))
    await symlink('nowhere.yaml', join(cwd, 'notes/compose.yaml'))
    expect(await problems(cwd)).toEqual([])
  })

  test('follows links to folders, and stops at cycles', async () => {
    const cwd = await folderWith('callyard.yaml', 'shared/a.yaml', 'tools/own.yaml')
    await symlink('../shared', join(cwd, 'tools/shared'))
    await symlink('../tools', join(cwd, 'shared/back'))
    const { files, diagnostics } = await findFiles(['tools'], { cwd })
    expect(diagnostics).toEqual([])
    const names = files.map(({ path }) => relative(cwd, path))
    expect(names).toEqual(expect.arrayContaining(['tools/own.yaml', 'tools/shared/a.yaml']))
    expect(names.length).toBeLessThan(10)
  })
})
