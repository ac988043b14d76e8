import { expect, test } from 'vitest'
import { appliedProject, assistant, deskFiles, testProject, tool, upToDate } from '../project/test-project.ts'

test('creates dependencies first and inserts their ids', async () => {
  const project = await testProject({
    ...deskFiles,
    'assistants/all.yaml': assistant('All', ['sales/quote', 'book']),
    'tools/sales/quote.yaml': tool('quote', 'server: { url: "https://example.com/${tool:book}" }\n'),
  })
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(0)
  expect(project.service.requestNames.slice(0, 1)).toEqual(['POST tool/book'])
  expect(project.service.requestNames.toSorted()).toEqual([
    'POST assistant/All',
    'POST assistant/Desk',
    'POST tool/book',
    'POST tool/quote',
  ])
  expect(project.service.bodiesOf('POST tool/quote')).toEqual([
    { type: 'function', function: { name: 'quote' }, server: { url: 'https://example.com/t-book' } },
  ])
  expect(project.service.bodiesOf('POST assistant/All')).toEqual([
    { name: 'All', assistantToolIds: ['t-quote', 't-book'] },
  ])
  expect(JSON.parse(result.stdout)).toMatchObject({
    target: 'default',
    baseUrl: `${project.service.baseUrl}/`,
    done: [
      { address: 'tool/book', action: 'create', id: 't-book', file: 'tools/book.yaml' },
      { address: 'tool/sales/quote', id: 't-quote' },
      { address: 'assistant/all', id: 'a-All' },
      { address: 'assistant/desk', id: 'a-Desk' },
    ],
    failed: [],
    skipped: [],
    blocked: [],
    unchanged: [],
    orphaned: [],
  })
  expect(await project.section()).toMatchObject({ baseUrl: `${project.service.baseUrl}/`, teamId: 'team-1' })
  expect(await project.recorded('assistant/desk')).toEqual({
    id: 'a-Desk',
    body: { name: 'Desk', assistantToolIds: ['${tool:book}'] },
    ids: { 'tool/book': 't-book' },
  })
})

test('the second run does not prompt, needs neither --yes nor a key, and keeps the lockfile', async () => {
  const project = await appliedProject()
  const lock = await project.read('callyard.lock.yaml')
  const asked = project.service.requestNames.length
  project.env.CALLYARD_API_KEY = undefined
  const result = await project.run('apply')
  expect(result).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(upToDate('2 resources')),
    stderr: '',
  })
  expect(project.service.requestNames).toHaveLength(asked)
  expect(await project.read('callyard.lock.yaml')).toBe(lock)
  const { stdout } = await project.run('apply', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ done: [], unchanged: ['tool/book', 'assistant/desk'] })
})

test('an update sends only the changed field, completely', async () => {
  const server = 'server: { url: "https://example.com/a", headers: { x: "1" } }\n'
  const project = await appliedProject({ 'tools/book.yaml': tool('book', server) })
  await project.write('tools/book.yaml', tool('book', server.replace('/a', '/b')))
  const result = await project.apply()
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Target default: 1 updated.\n' })
  expect(result.stderr).toContain('server.url: "https://example.com/a" → "https://example.com/b"')
  expect(result.stderr).toContain('✓ updated tool/book (t-book): server')
  expect(project.service.requestNames).toEqual(['POST tool/book', 'PATCH t-book'])
  expect(project.service.bodiesOf('PATCH t-book')).toEqual([
    { server: { url: 'https://example.com/b', headers: { x: '1' } } },
  ])
  expect(await project.recorded('tool/book')).toMatchObject({
    body: { server: { url: 'https://example.com/b' } },
  })
})

test('a file that goes leaves its resource at the service, and is listed as orphaned', async () => {
  const project = await appliedProject()
  await project.remove('assistants/desk.yaml')
  const result = await project.apply()
  expect(result.exitCode).toBe(0)
  expect(result.stdout).toContain('? assistant/desk')
  expect(result.stdout).toContain('callyard apply --forget assistant/desk')
  expect(project.service.requestNames).toHaveLength(2)
  expect(await project.recorded('assistant/desk')).toMatchObject({ id: 'a-Desk' })
  expect((await project.apply('--forget', 'assistant/desk')).stdout).toMatch(upToDate('1 resource'))
  expect(await project.recorded('assistant/desk')).toBeUndefined()
})

test('independent resources go side by side, no more than --concurrency at once', async () => {
  const names = ['a', 'b', 'c', 'd']
  const project = await testProject(Object.fromEntries(names.map(name => [`tools/${name}.yaml`, tool(name)])))
  const [a, b, c, d] = names.map(name => project.service.hold(`POST tool/${name}`))
  const running = project.apply('--concurrency', '2')
  await Promise.all([a?.arrived, b?.arrived])
  expect(project.service.requestNames).toHaveLength(2)
  b?.release()
  await c?.arrived
  expect(project.service.requestNames).toHaveLength(3)
  for (const each of [a, c, d]) each?.release()
  expect(await running).toMatchObject({ exitCode: 0, stdout: 'Target default: 4 created.\n' })
})
