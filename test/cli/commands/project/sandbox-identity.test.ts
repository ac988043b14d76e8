import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../../src/sandbox/index.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import {
  appliedProject,
  deskFiles,
  type TestProject,
  testProject,
  unwrapped,
  upToDate,
} from './test-project.ts'

const faq = 'knowledge-bases/faq.yaml'
const files = {
  ...deskFiles,
  [faq]: 'knowledgeBaseId: kb1\nfaq:\n  - question: Open?\n    answer: Always\n',
}
const apiKey = 'key-of-the-test'
const teams = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const

async function sandboxOf(team: number, { port = 0, data }: { port?: number; data?: string } = {}) {
  const sandbox = await startSandbox({
    port,
    pace: 0,
    apiKey,
    clock: realClock,
    data,
    teamId: `team-${teams[team] ?? ''}`,
  })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** A project that was applied to a sandbox which another one has replaced at the same URL. */
async function withAnother(): Promise<TestProject & { readonly first: Sandbox }> {
  const first = await sandboxOf(0)
  const project = await appliedProject(files, { CALLYARD_BASE_URL: first.baseUrl })
  await first.close()
  await sandboxOf(1, { port: first.port })
  return { ...project, first }
}

test('the same sandbox is up to date, also after a restart with its data', async () => {
  const data = join(await temporaryFolder(), 'records.ndjson')
  const first = await sandboxOf(0, { data })
  const project = await appliedProject(files, { CALLYARD_BASE_URL: first.baseUrl })
  await first.close()
  await sandboxOf(1, { port: first.port, data })
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
  expect((await project.apply()).stdout).toContain('Up to date')
})

test.each([
  ['plan', ['plan']],
  ['apply', ['apply', '--yes']],
  ['tool create', ['tool', 'create', 'tools/book.yaml', '--allow-duplicate']],
  ['faq push', ['faq', 'push', faq]],
])('%s exits with 9 if another sandbox responds, and sends or writes nothing', async (_, command) => {
  const project = await withAnother()
  const lock = await project.read('callyard.lock.yaml')
  const result = await project.run(...command)
  expect(result).toMatchObject({ exitCode: 9, stdout: '' })
  expect(unwrapped(result.stderr)).toContain(
    '(team-22222222) is not the one of target default in callyard.lock.yaml (team-11111111)',
  )
  expect(result.stderr).toContain('callyard apply --new-target')
  expect(await project.read('callyard.lock.yaml')).toBe(lock)
})

test('--new-target creates everything in it, FAQ entries too, and keeps their ids in the file', async () => {
  const project = await withAnother()
  const before = await project.read(faq)
  const planned = await project.run('plan', '--new-target')
  expect(planned).toMatchObject({ exitCode: 0 })
  expect(planned.stdout).toContain('entries: 1 to insert')
  expect(await project.apply('--new-target')).toMatchObject({
    exitCode: 0,
    stdout: 'Target default: 2 created, 1 updated.\n',
  })
  expect(await project.section()).toMatchObject({ teamId: `team-${teams[1]}` })
  expect(await project.read(faq)).toBe(before)
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
  await project.write(faq, before.replace('Always', 'Never'))
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
})

test('asks before another sandbox is used, and cancels after a no', async () => {
  const project = await withAnother()
  project.type('n')
  const refused = await project.run('apply')
  expect(refused.exitCode).toBe(130)
  expect(refused.stderr).not.toContain('error:')
  project.type('y', 'y')
  expect(await project.run('apply')).toMatchObject({ exitCode: 0 })
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('assumes that a silent sandbox is the known one', async () => {
  const first = await sandboxOf(0)
  const project = await appliedProject(files, { CALLYARD_BASE_URL: first.baseUrl })
  await first.close()
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('without profile and base URL, plan is for the one target that the lockfile has', async () => {
  const project = await testProject(deskFiles)
  await project.apply('--target', 'sandbox')
  project.env.CALLYARD_BASE_URL = undefined
  const { stdout, exitCode } = await project.run('plan', '--exit-code')
  expect({ stdout, exitCode }).toEqual({
    stdout: expect.stringMatching(upToDate('2 resources', 'sandbox')),
    exitCode: 0,
  })
})
