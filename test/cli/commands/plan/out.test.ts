import { readdir, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deskFiles, testProject, unwrapped } from '../project/test-project.ts'

test('--out writes a file that only its owner can read', async () => {
  const project = await testProject(deskFiles)
  const result = await project.run('plan', '--out', 'plan.json', '--exit-code')
  expect(result.exitCode).toBe(7)
  expect(result.stderr).toMatch(/^Saved the plan to plan\.json\. To apply it: callyard apply plan\.json\n/)
  expect((await stat(join(project.folder, 'plan.json'))).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await project.read('plan.json'))).toMatchObject({
    kind: 'callyard-plan',
    version: 1,
    target: 'default',
    baseUrl: `${project.service.baseUrl}/`,
    lock: 'none',
    actions: [{ address: 'tool/book', action: 'create' }, { address: 'assistant/desk' }],
  })
  // It replaces an older plan.
  expect(await project.run('plan', '--out', 'plan.json')).toMatchObject({ exitCode: 0 })
})

test('--out without a base URL: 2, nothing is written', async () => {
  const project = await testProject(deskFiles, { CALLYARD_BASE_URL: undefined })
  const result = await project.run('plan', '--out', 'plan.json')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(unwrapped(result.stderr)).toContain('choose a profile, or pass --base-url')
  expect(await project.exists('plan.json')).toBe(false)
})

test.each([
  ['no/such/plan.json', 'cannot write no/such/plan.json', 'check the folder'],
  ['json:tools', 'tools is not a regular file', 'choose another name'],
  ['json:/dev/null', 'it is not a file', 'pass --json'],
])('--out %s: 2', async (path, message, hint) => {
  const project = await testProject(deskFiles)
  const result = await project.run('plan', '--out', path)
  expect(result.exitCode).toBe(2)
  expect(unwrapped(result.stderr)).toContain(message)
  expect(unwrapped(result.stderr)).toMatch(new RegExp(`hint: .*${hint}`))
})

test('--out replaces a file or the target of a link atomically and leaves no other file', async () => {
  const project = await testProject(deskFiles)
  await writeFile(join(project.folder, 'old.json'), '{"kind":"callyard-plan"}')
  await symlink('old.json', join(project.folder, 'plan.json'))
  const before = await stat(join(project.folder, 'old.json'))
  expect(await project.run('plan', '--out', 'plan.json')).toMatchObject({ exitCode: 0 })
  expect(await readlink(join(project.folder, 'plan.json'))).toBe('old.json')
  expect((await stat(join(project.folder, 'old.json'))).ino).not.toBe(before.ino)
  expect(JSON.parse(await project.read('old.json'))).toMatchObject({ kind: 'callyard-plan' })
  expect((await readdir(project.folder)).filter(name => name.includes('tmp'))).toEqual([])
})
