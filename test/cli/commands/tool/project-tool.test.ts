import { expect, test } from 'vitest'
import { appliedProject, deskFiles, testProject, tool, unwrapped } from '../project/test-project.ts'

const update = ['tool', 'update', 't-book', 'tools/book.yaml'] as const

test('sends only what changed, keeps the lockfile up to date, and is one with plan and apply', async () => {
  const project = await appliedProject({
    ...deskFiles,
    'tools/book.yaml': tool('book', 'server: { url: "https://example.com" }\n'),
  })
  await project.write(
    'tools/book.yaml',
    tool('book', 'server: { url: "https://example.com" }\nasync: true\n'),
  )
  const result = await project.run(...update)
  expect(result).toEqual({ exitCode: 0, stdout: 'Updated tool t-book: async\n', stderr: '' })
  expect(project.service.bodiesOf('PATCH t-book')).toEqual([{ async: true }])
  expect(await project.recorded('tool/book')).toMatchObject({ id: 't-book', body: { async: true } })
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
  expect(await project.exists('.callyard/project.lock')).toBe(false)
})

test('up to date: no request, and no key needed', async () => {
  const project = await appliedProject()
  project.env.CALLYARD_API_KEY = undefined
  const asked = project.service.requestNames.length
  expect(await project.run(...update)).toMatchObject({
    exitCode: 0,
    stdout: 'Tool t-book is up to date; nothing was sent\n',
  })
  expect(JSON.parse((await project.run(...update, '--json')).stdout)).toEqual({
    _id: 't-book',
    unchanged: true,
  })
  expect(project.service.requestNames).toHaveLength(asked)
})

test('another id than the lockfile’s: 9 with both ways out', async () => {
  const project = await appliedProject()
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  const asked = project.service.requestNames.length
  const lock = await project.read('callyard.lock.yaml')
  const result = await project.run('tool', 'update', 't-other', 'tools/book.yaml')
  expect(result).toMatchObject({ exitCode: 9, stdout: '' })
  expect(result.stderr).toContain('tool/book is t-book at target default')
  expect(unwrapped(result.stderr)).toContain('callyard apply --adopt tool/book=t-other')
  expect(project.service.requestNames).toHaveLength(asked)
  expect(await project.read('callyard.lock.yaml')).toBe(lock)
})

test('the first time, it gets the id, and the whole tool is sent except its type', async () => {
  const project = await testProject({ ...deskFiles, 'tools/book.yaml': tool('book', 'async: true\n') })
  const { stdout } = await project.run('tool', 'update', 't-made-before', 'tools/book.yaml', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ _id: 't-made-before', teamId: 'team-1', async: true })
  expect(project.service.requestNames).toEqual(['PATCH t-made-before'])
  expect(project.service.requests[0]?.body).toEqual({ async: true, function: { name: 'book' } })
  expect(await project.recorded('tool/book')).toEqual({
    id: 't-made-before',
    body: { type: 'function', function: { name: 'book' }, async: true },
  })
  await project.apply()
  expect(project.service.requestNames.slice(1)).toEqual(['POST assistant/Desk'])
  expect(project.service.requests.at(-1)?.body).toMatchObject({ assistantToolIds: ['t-made-before'] })
})

test.each([
  ['not found', 404, 5],
  ['refused', 422, 5],
  ['the key is refused', 401, 4],
])('records nothing of a request that failed: %s', async (_, status, exitCode) => {
  const project = await testProject({ 'tools/book.yaml': tool('book', 'async: true\n') })
  project.service.next('PATCH t-typo', { status })
  expect((await project.run('tool', 'update', 't-typo', 'tools/book.yaml')).exitCode).toBe(exitCode)
  expect(await project.recorded('tool/book')).toBeUndefined()
  expect(await project.run('tool', 'update', 't-right', 'tools/book.yaml')).toMatchObject({ exitCode: 0 })
  const before = await project.recorded('tool/book')
  expect(before).toMatchObject({ id: 't-right' })
  await project.write('tools/book.yaml', tool('book', 'async: false\n'))
  project.service.next('PATCH t-right', { status })
  expect((await project.run('tool', 'update', 't-right', 'tools/book.yaml')).exitCode).toBe(exitCode)
  expect(await project.recorded('tool/book')).toEqual(before)
})

test.each([
  ['without a key', 4, 'async: true\n', '', { CALLYARD_API_KEY: undefined }],
  ['invalid input', 3, 'async: maybe\n', 'tools/book.yaml:3:8', {}],
])('%s: %i, nothing sent, nothing written', async (_, exitCode, field, words, env) => {
  const project = await testProject({ 'tools/book.yaml': tool('book', field) }, env)
  const result = await project.run(...update)
  expect(result).toMatchObject({ exitCode, stdout: '' })
  expect(result.stderr).toContain(words)
  expect(project.service.requestNames).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('while its creation is in doubt: 9, nothing sent', async () => {
  const project = await testProject(deskFiles)
  project.service.next('POST tool/book', 'taken')
  await project.apply()
  const result = await project.run(...update)
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain(
    'callyard apply --adopt tool/book=<id>, or callyard apply --forget tool/book',
  )
  expect(project.service.requestNames).toEqual(['POST tool/book'])
})

test('reports what an update cannot do like apply: 8', async () => {
  const project = await appliedProject({ 'tools/book.yaml': tool('book', 'messages: []\n') })
  await project.write('tools/book.yaml', tool('book'))
  const result = await project.run(...update)
  expect(result.exitCode).toBe(8)
  expect(result.stderr).toContain('the interface cannot remove messages from a tool')
  expect(project.service.requestNames).toEqual(['POST tool/book'])
})

test('the key of another team: 9, and its id is not taken', async () => {
  const project = await appliedProject()
  await project.write('tools/new.yaml', tool('new'))
  project.service.team('team-2')
  expect((await project.run('tool', 'update', 't-foreign', 'tools/new.yaml')).exitCode).toBe(9)
  expect(await project.recorded('tool/new')).toBeUndefined()
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  const result = await project.run(...update)
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain('the API key belongs to team team-2')
})

test('a file beside the tools is a change as ever: the lockfile stays out of it', async () => {
  const project = await appliedProject({ ...deskFiles, 'change.yaml': 'async: true\n' })
  const lock = await project.read('callyard.lock.yaml')
  expect(await project.run('tool', 'update', 't-book', 'change.yaml')).toMatchObject({
    exitCode: 0,
    stdout: 'Updated tool t-book\n',
  })
  expect(project.service.bodiesOf('PATCH t-book')).toEqual([{ async: true }])
  expect(await project.read('callyard.lock.yaml')).toBe(lock)
})
