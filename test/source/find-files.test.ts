import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findFiles } from '../../src/source/find-files.ts'

async function folderWith(...files: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-find-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), '')
  }
  return folder
}

test('what lies in a project beside its resources is not reported', async () => {
  const cwd = await folderWith(
    'desk/callwright.yaml',
    'desk/callwright.lock.yaml',
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

test('a folder whose name is nearly that of a kind is reported, and all outside of a project', async () => {
  const cwd = await folderWith(
    'desk/callwright.yaml',
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

test('a folder of a project that is asked for by name is reported', async () => {
  const cwd = await folderWith('callwright.yaml', 'ci/github-actions.yaml')
  const { skipped, diagnostics } = await findFiles(['ci'], { cwd })
  expect(skipped).toEqual(['ci/github-actions.yaml'])
  expect(diagnostics).toMatchObject([{ code: 'no-files' }])
})
