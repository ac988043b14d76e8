import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { projectService } from '../project/project-service.ts'
import { appliedProject, deskFiles, type TestProject, testProject } from '../project/test-project.ts'

/** Adds a profile, for the project's own service unless another one is given. */
async function addProfile(project: TestProject, name: string, baseUrl = project.service.baseUrl) {
  const command = ['profile', 'add', name, '--base-url', baseUrl, '--api-key-stdin']
  expect(await project.runWith({ input: `key-of-${name}` }, ...command)).toMatchObject({ exitCode: 0 })
}

const conflict = (lock: string) =>
  lock.replace(/^( +)id: t-book$/m, '<<<<<<< ours\n$1id: t-book\n=======\n$1id: t-9\n>>>>>>> theirs')

test.each([
  [
    'the marks of a merge conflict',
    conflict,
    /merge conflict.*nothing was sent\nhint: keep the resources of both/s,
  ],
  ['broken YAML', (lock: string) => `${lock}\n  - [`, /cannot be used/],
])('exits with 9 for a lockfile with %s, and keeps it', async (_, damage, said) => {
  const project = await appliedProject()
  const damaged = damage(await project.read('callyard.lock.yaml'))
  await project.write('callyard.lock.yaml', damaged)
  const asked = project.service.requestNames.length
  for (const command of [['plan'], ['apply', '--yes'], ['tool', 'update', 't-book', 'tools/book.yaml']]) {
    const result = await project.run(...command)
    expect(result).toMatchObject({ exitCode: 9, stdout: '' })
    expect(result.stderr).toMatch(said)
  }
  expect(project.service.requestNames).toHaveLength(asked)
  expect(await project.read('callyard.lock.yaml')).toBe(damaged)
})

test('a base URL other than the target’s: 9, for plan and apply', async () => {
  const project = await appliedProject()
  const other = await projectService()
  project.env.CALLYARD_BASE_URL = other.baseUrl
  for (const command of ['plan', 'apply']) {
    const result = await project.run(command)
    expect(result).toMatchObject({ exitCode: 9, stdout: '' })
    expect(result.stderr).toContain(
      `target default is at ${project.service.baseUrl}/ in callyard.lock.yaml, not at ${other.baseUrl}/`,
    )
    expect(result.stderr).toContain('--target <name>')
  }
  expect(other.requestNames).toEqual([])
  expect(await project.apply('--target', 'other')).toMatchObject({ exitCode: 0 })
  expect(other.requestNames).toEqual(['POST tool/book', 'POST assistant/Desk'])
  expect(await project.section('other')).toMatchObject({ baseUrl: `${other.baseUrl}/` })
  expect(await project.section()).toMatchObject({ baseUrl: `${project.service.baseUrl}/` })
})

test('the same address written otherwise is the same', async () => {
  const project = await appliedProject()
  project.env.CALLYARD_BASE_URL = `${project.service.baseUrl.toUpperCase().replace('HTTP', 'http')}/`
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('exits with 9 for a known base URL under another target name; --target or --new-target decides', async () => {
  const project = await appliedProject()
  await addProfile(project, 'staging')
  const result = await project.run('plan', '--profile', 'staging')
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain(`has ${project.service.baseUrl}/ as target default and no target staging`)
  expect(result.stderr).toContain(
    'pass --target default; or, to create everything twice: callyard apply --new-target --profile staging',
  )

  expect((await project.run('plan', '--profile', 'staging', '--target', 'default')).stdout).toContain(
    'Up to date',
  )
  expect((await project.run('plan', '--profile', 'staging', '--target', 'stagin')).exitCode).toBe(9)
  const another = await project.run('plan', '--profile', 'staging', '--new-target')
  expect(another).toMatchObject({ exitCode: 0 })
  expect(another.stdout).toContain('Plan for target staging')
  expect(another.stdout).toContain('Plan: 2 to create.')
})

test('the profile selects the target', async () => {
  const project = await testProject(deskFiles)
  await addProfile(project, 'production')
  await project.apply('--profile', 'production')
  expect(await project.section('production')).toMatchObject({ resources: { 'tool/book': { id: 't-book' } } })
  expect(await project.section()).toBeUndefined()
})

test('plan and result show the origin of a base URL that is not from the target’s profile', async () => {
  const project = await testProject(deskFiles)
  await addProfile(project, 'staging', 'https://calls.example.com')
  const where = `\n  ${project.service.baseUrl}/ (from CALLYARD_BASE_URL)\n`
  const { stdout, stderr } = await project.apply('--profile', 'staging')
  expect(stderr).toContain(`Plan for target staging${where}`)
  expect(stdout).toBe(`Target staging: 2 created.${where}`)
  const again = await project.run('plan', '--profile', 'staging')
  expect(again.stdout).toMatch(/^Up to date: 2 resources of target staging, as recorded by apply 1 /)
  expect(again.stdout).toContain(where)
  const flag = ['--base-url', project.service.baseUrl] as const
  const given = await project.run('plan', ...flag, '--target', 'other', '--new-target')
  expect(given.stdout).toContain(`${project.service.baseUrl}/ (from --base-url)\n`)
})

test.skipIf(process.platform === 'win32')('a pipe in place of the lockfile is a conflict', async () => {
  const project = await testProject(deskFiles)
  await execa('mkfifo', [join(project.folder, 'callyard.lock.yaml')])
  const { exitCode, stderr } = await project.run('plan')
  expect(exitCode).toBe(9)
  expect(stderr).toContain('callyard.lock.yaml cannot be used: this is a named pipe, not a file')
})
