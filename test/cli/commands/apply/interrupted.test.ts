import { expect, test } from 'vitest'
import { deskFiles, testProject, tool } from '../project/test-project.ts'

test('Ctrl-C finishes and records the current request, starts no other, and exits with 130', async () => {
  const project = await testProject({ ...deskFiles, 'tools/a.yaml': tool('a') })
  const held = project.service.hold('POST tool/a')
  const ctrlC = new AbortController()
  const running = project.runWith({ signal: ctrlC.signal }, 'apply', '--yes', '--concurrency', '1', '--json')
  await held.arrived
  ctrlC.abort()
  held.release()
  const result = await running
  expect(result.exitCode).toBe(130)
  expect(result.stderr).toContain('finishing requests in progress')
  expect(result.stderr).toContain('Cancelled; 2 of 3 resources')
  expect(JSON.parse(result.stdout)).toMatchObject({
    done: [{ address: 'tool/a', id: 't-a' }],
    skipped: [{ address: 'tool/book', reason: 'cancelled' }, { address: 'assistant/desk' }],
  })
  expect(project.service.requestNames).toEqual(['POST tool/a'])
  expect(await project.recorded('tool/a')).toMatchObject({ id: 't-a' })
  expect(await project.recorded('tool/a')).not.toHaveProperty('creating')

  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames.slice(1)).toEqual(['POST tool/book', 'POST assistant/Desk'])
})

test('Ctrl-C ends a wait for Retry-After', async () => {
  const project = await testProject({ 'tools/a.yaml': tool('a') })
  project.service.next('POST tool/a', { status: 429, headers: { 'retry-after': '30' } })
  const ctrlC = new AbortController()
  const clock = {
    now: () => 0,
    async sleep() {
      ctrlC.abort()
      ctrlC.signal.throwIfAborted()
    },
  }
  const result = await project.runWith({ signal: ctrlC.signal, clock }, 'apply', '--yes')
  expect(result.exitCode).toBe(130)
  expect(project.service.requestNames).toEqual(['POST tool/a'])
  expect(await project.section()).toMatchObject({ resources: {} })
})

test.each([
  ['apply', ['apply', '--yes']],
  ['tool update', ['tool', 'update', 't1', 'tools/book.yaml']],
  ['faq push', ['faq', 'push', 'knowledge-bases/faq.yaml']],
])('exits with 9 for %s during an apply, and mentions the other process', async (_, command) => {
  const project = await testProject({
    ...deskFiles,
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: kb1\nfaq: []\n',
  })
  const held = project.service.hold('POST tool/book')
  const first = project.apply()
  await held.arrived
  const journal = await project.read('.callyard/lockfile.ndjson')
  const second = await project.run(...command)
  expect(second).toMatchObject({ exitCode: 9, stdout: '' })
  expect(second.stderr).toContain(`another callyard (process ${process.pid} on `)
  expect(second.stderr).toContain('nothing was sent')
  expect(await project.read('.callyard/lockfile.ndjson')).toBe(journal)
  expect(project.service.requestNames).toEqual(['POST tool/book'])
  held.release()
  expect(await first).toMatchObject({ exitCode: 0 })
  expect(await project.exists('.callyard/project.lock')).toBe(false)
  expect(await project.exists('.callyard/lockfile.ndjson')).toBe(false)
})

test('keeps a lockfile that another program changed meanwhile, and starts nothing else', async () => {
  const project = await testProject({ ...deskFiles, 'callyard.lock.yaml': 'version: 1\ntargets: {}\n' })
  const held = project.service.hold('POST tool/book')
  const running = project.apply('--json')
  await held.arrived
  const foreign = `${await project.read('callyard.lock.yaml')}# by hand\n`
  await project.write('callyard.lock.yaml', foreign)
  held.release()
  const result = await running
  expect(result.exitCode).toBe(9)
  expect(JSON.parse(result.stdout).failed[0].reason).toContain('tool/book was created as t-book')
  expect(result.stderr).toContain('callyard apply --adopt tool/book=t-book')
  expect(await project.read('callyard.lock.yaml')).toBe(foreign)
  expect(project.service.requestNames).toEqual(['POST tool/book'])
})
