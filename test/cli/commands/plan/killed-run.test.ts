import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  findState,
  journalPath,
  openLockStore,
  readLockfile,
  takeProjectLock,
} from '../../../../src/project/lockfile/index.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { appliedProject, tool } from '../project/test-project.ts'

const lockName = 'callyard.lock.yaml'

/** Two tools are applied; of a third one, a run that was killed has the id in its journal alone. */
async function killed() {
  const project = await appliedProject({ 'tools/a.yaml': tool('a'), 'tools/b.yaml': tool('b') })
  const path = join(project.folder, lockName)
  const { lockfile, text } = await readLockfile(path, lockName)
  const [target = ''] = Object.keys(lockfile.targets)
  const section = lockfile.targets[target]
  if (section === undefined) throw new Error('the apply recorded no target')
  const store = openLockStore({ path, name: lockName, lockfile, text, target, section })
  const recorded = findState(section, 'tool/a')
  await store.patch('tool/c', { recorded: { body: {}, ...recorded, id: 'id-of-c' } })
  await project.write('tools/c.yaml', tool('a'))
  return { project, path, written: await readFile(path, 'utf8') }
}

const text = (path: string) => readFile(path, 'utf8')

test('plan writes what a killed run did into the lockfile, and sends nothing', async () => {
  const { project, path } = await killed()
  const sent = project.requests.length
  const { stderr, ...result } = await project.run('plan', '--exit-code')
  expect(result).toMatchObject({ exitCode: 0 })
  expect(stderr).toContain('callyard.lock.yaml now contains what a killed run did; commit it')
  expect(await text(path)).toContain('id-of-c')
  await expect(text(journalPath(path))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(project.requests).toHaveLength(sent)
  // A machine that has the committed file alone creates nothing again.
  await rm(join(project.folder, '.callyard'), { recursive: true })
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('plan reports a lost journal with what to do', async () => {
  const { project, path } = await killed()
  await rm(journalPath(path))
  for (const command of ['plan', 'apply']) {
    const { stderr, exitCode } = await project.run(command)
    expect(exitCode).toBe(9)
    expect(stderr).toContain('callyard.lock.yaml may not have what it created; nothing was sent')
    expect(stderr).toContain('delete the last line of callyard.lock.yaml')
  }
  await project.write(lockName, (await text(path)).replace(/^journal: .*\n/m, ''))
  const { stderr, exitCode } = await project.run('plan')
  expect(exitCode).toBe(9)
  expect(stderr).toContain('callyard apply --resend')
  expect(await project.run('plan', '--resend')).toMatchObject({ exitCode: 8 })
})

test('also where the files do not pass their check', async () => {
  const { project, path } = await killed()
  await project.write('tools/b.yaml', 'type: function\nfuncton: {}\n')
  expect(await project.run('plan')).toMatchObject({ exitCode: 3 })
  expect(await text(path)).toContain('id-of-c')
})

test('but not while another run works on the project: what it did is planned with anyway', async () => {
  const { project, path, written } = await killed()
  const lock = await takeProjectLock(project.folder, realClock)
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
  expect(await text(path)).toBe(written)
  await lock.release()
})

test('plan warns about a lockfile that cannot be written', async () => {
  const { project, path, written } = await killed()
  await mkdir(join(project.folder, `.${lockName}.callyard-tmp`))
  const { stderr, exitCode } = await project.run('plan', '--exit-code')
  expect(exitCode).toBe(0)
  expect(stderr).toContain('cannot write')
  expect(await text(path)).toBe(written)
})

test('a lockfile that was changed since is a conflict', async () => {
  const { project, path } = await killed()
  await project.write(lockName, `${await text(path)}# mine\n`)
  expect(await project.run('plan')).toMatchObject({ exitCode: 9 })
  expect(await text(path)).toContain('# mine')
})
