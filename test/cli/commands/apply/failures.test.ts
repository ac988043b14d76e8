import { expect, test } from 'vitest'
import { refusingOrigin } from '../../../helpers/ports.ts'
import { once } from '../project/project-service.ts'
import {
  appliedProject,
  assistant,
  deskFiles,
  testProject,
  tool,
  unwrapped,
} from '../project/test-project.ts'

test('a failure stops what depends on it and nothing else; the next run does only the rest', async () => {
  const project = await testProject({
    ...deskFiles,
    'tools/quote.yaml': tool('quote'),
    'assistants/night.yaml': assistant('Night', ['quote']),
  })
  project.service.next('POST tool/book', { status: 422, json: { message: 'the name is taken' } })
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(8)
  expect(JSON.parse(result.stdout)).toMatchObject({
    done: [{ address: 'tool/quote' }, { address: 'assistant/night' }],
    failed: [{ address: 'tool/book', kind: 'refused', reason: expect.stringContaining('the name is taken') }],
    skipped: [{ address: 'assistant/desk', reason: 'it needs tool/book, which failed' }],
  })
  expect(result.stderr).toContain('2 of 4 resources')
  expect(await project.recorded('tool/book')).toBeUndefined()

  const before = project.service.requestNames.length
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames.slice(before)).toEqual(['POST tool/book', 'POST assistant/Desk'])
})

test('says on stdout what was not done, why, and what to do', async () => {
  const project = await testProject(deskFiles)
  project.service.next('POST tool/book', { status: 422, json: { message: 'the name is taken' } })
  const { stdout, stderr, exitCode } = await project.apply()
  expect(stdout).toContain('Target default: 1 failed, 1 skipped.')
  expect(stdout).toMatch(/✗ failed tool\/book {2}tools\/book\.yaml\n {4}the service rejected POST/)
  expect(stdout).toMatch(/- skipped assistant\/desk .*\n {4}it needs tool\/book, which failed/)
  expect(stderr).toContain('✗ failed tool/book')
  // Nothing at all was done: the failure's own exit code.
  expect(exitCode).toBe(5)
})

test('exits with 4 for a rejected key and tries nothing else', async () => {
  const project = await testProject({ ...deskFiles, 'tools/a.yaml': tool('a'), 'tools/z.yaml': tool('z') })
  project.service.next('POST tool/a', { status: 401 })
  const result = await project.apply('--concurrency', '1', '--json')
  expect(result.exitCode).toBe(4)
  expect(project.service.requestNames).toEqual(['POST tool/a'])
  expect(JSON.parse(result.stdout).skipped).toHaveLength(3)
  expect(JSON.parse(result.stdout).skipped[0].reason).toBe('the service rejected the API key')
})

test('exits with 6 for a missing service, tries nothing else, and no outcome is unknown', async () => {
  const project = await testProject({ ...deskFiles, 'tools/a.yaml': tool('a') })
  project.env.CALLYARD_BASE_URL = await refusingOrigin()
  const result = await project.apply('--concurrency', '1', '--json')
  expect(result.exitCode).toBe(6)
  const { failed, skipped } = JSON.parse(result.stdout)
  expect(failed).toMatchObject([{ address: 'tool/a', kind: 'unreachable' }])
  expect(skipped).toMatchObject([
    { address: 'tool/book', reason: 'the service cannot be reached' },
    { address: 'assistant/desk' },
  ])
  expect(await project.section()).toMatchObject({ resources: {} })
})

test('a tool that was deleted at the service: 5, and how to create a new one', async () => {
  const project = await appliedProject()
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  project.service.next('PATCH t-book', { status: 404 })
  const result = await project.apply()
  expect(result.exitCode).toBe(5)
  expect(unwrapped(result.stdout)).toContain('callyard apply --forget tool/book')
  expect(await project.recorded('tool/book')).toMatchObject({ id: 't-book', body: { type: 'function' } })
  expect(await project.recorded('tool/book')).not.toHaveProperty('updating')
})

test('exits with 9 for a response of another team, and sends nothing else', async () => {
  const project = await appliedProject()
  project.service.team('team-2')
  await project.write('tools/a.yaml', tool('a'))
  await project.write('tools/b.yaml', tool('b'))
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(9)
  expect(project.service.requestNames.slice(2)).toEqual(['POST tool/a'])
  const { failed, skipped } = JSON.parse(result.stdout)
  expect(failed[0].reason).toContain('the API key belongs to team team-2, but target default is team team-1')
  expect(failed[0].reason).toContain('tool/a was created there as t-a')
  expect(failed[0].hint).toContain('--target <name>')
  expect(skipped).toMatchObject([{ address: 'tool/b', reason: 'the API key is another team’s' }])
  expect(await project.recorded('tool/a')).toBeUndefined()
})

test('of a known team, creates one at a time until a response names it, then side by side', async () => {
  const project = await appliedProject()
  for (const name of ['a', 'b', 'c', 'd']) await project.write(`tools/${name}.yaml`, tool(name))
  project.service.next('POST tool/a', { status: 422 })
  const [b, c, d] = ['b', 'c', 'd'].map(name => project.service.hold(`POST tool/${name}`))
  const running = project.apply('--concurrency', '2')
  await b?.arrived
  // Sent after b, so others that were sent with b have arrived before it.
  await project.run('api', 'GET', '/x')
  expect(project.service.requestNames.slice(2)).toEqual(['POST tool/a', 'POST tool/b', 'GET x'])
  b?.release()
  await Promise.all([c?.arrived, d?.arrived])
  for (const held of [c, d]) held?.release()
  expect(await running).toMatchObject({ exitCode: 8 })
})

test('tries updates before creations if the team is known', async () => {
  const project = await appliedProject()
  await project.write('tools/a.yaml', tool('a'))
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  project.service.next('PATCH t-book', { status: 404 })
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(8)
  expect(project.service.requestNames.slice(2)).toEqual(['PATCH t-book', 'POST tool/a'])
  expect(JSON.parse(result.stdout)).toMatchObject({
    done: [{ address: 'tool/a' }],
    failed: [{ address: 'tool/book', hint: expect.stringContaining('--forget tool/book=t-book') }],
  })
})

test('429 with Retry-After is waited for, once for all', async () => {
  const names = ['a', 'b', 'c', 'd']
  const project = await testProject(Object.fromEntries(names.map(name => [`tools/${name}.yaml`, tool(name)])))
  const a = project.service.hold('POST tool/a', { status: 429, headers: { 'retry-after': '20' } })
  const b = project.service.hold('POST tool/b')
  let now = 0
  const sleeps: { milliseconds: number; wake: () => void }[] = []
  const [oneSleeps, twoSleep] = [once(), once()]
  const clock = {
    now: () => now,
    async sleep(milliseconds: number) {
      const woken = once()
      sleeps.push({ milliseconds, wake: woken.happen })
      const told = sleeps.length === 1 ? oneSleeps : twoSleep
      told.happen()
      await woken.done
    },
  }
  const running = project.runWith({ clock }, 'apply', '--yes', '--concurrency', '2')
  // b would wait too, had a been refused before b was sent.
  await Promise.all([a.arrived, b.arrived])
  a.release()
  await oneSleeps.done
  b.release()
  // Its place goes to c, which was not refused, and which waits anyway.
  await twoSleep.done
  expect(project.service.requestNames.toSorted()).toEqual(['POST tool/a', 'POST tool/b'])
  expect(sleeps.map(({ milliseconds }) => milliseconds)).toEqual([20_000, 20_000])
  now = 20_000
  for (const { wake } of sleeps) wake()
  const result = await running
  expect(result.exitCode).toBe(0)
  expect(result.stderr).toContain('the service responded 429; retrying in 20 s')
  expect(project.service.requestNames.slice(2).toSorted()).toEqual([
    'POST tool/a',
    'POST tool/c',
    'POST tool/d',
  ])
})

test('retries are one line and a sum, not a line each', async () => {
  const names = ['a', 'b', 'c']
  const project = await testProject(Object.fromEntries(names.map(name => [`tools/${name}.yaml`, tool(name)])))
  const busy = { status: 429, headers: { 'retry-after': '1' } }
  for (const name of ['a', 'a', 'b', 'c']) project.service.next(`POST tool/${name}`, busy)
  const { exitCode, stderr } = await project.apply('--concurrency', '1')
  expect(exitCode).toBe(0)
  expect(stderr.split('\n').filter(line => line.includes('retr'))).toEqual([
    'the service responded 429; retrying in 1 s',
    '3 requests were retried: rate limited',
  ])
})

test('three failures of the service in a row, and it is not asked any more', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const project = await testProject(Object.fromEntries(names.map(name => [`tools/${name}.yaml`, tool(name)])))
  for (const name of names) project.service.next(`POST tool/${name}`, { status: 500 })
  const result = await project.apply('--concurrency', '1', '--json')
  expect(result.exitCode).toBe(9)
  expect(project.service.requestNames).toEqual(['POST tool/a', 'POST tool/b', 'POST tool/c'])
  expect(JSON.parse(result.stdout).skipped).toMatchObject([
    { address: 'tool/d', reason: 'the service failed 3 times in a row' },
    { address: 'tool/e' },
  ])
})
