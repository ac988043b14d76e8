import { expect, test } from 'vitest'
import { appliedProject, assistant, deskFiles, testProject, tool } from './test-project.ts'

const changed = { 'changes.yaml': 'async: true\n' }

const applied = (files: Readonly<Record<string, string>> = {}) =>
  appliedProject({ ...deskFiles, ...changed, ...files })

test.each(['book', 'tool/book', 't-book', 't-b'])('tool update %s is that of the lockfile', async asked => {
  const project = await applied()
  expect(await project.run('tool', 'update', asked, 'changes.yaml')).toEqual({
    exitCode: 0,
    stdout: 'Updated tool t-book\n',
    stderr: '',
  })
  expect(project.service.requestNames.at(-1)).toBe('PATCH t-book')
})

test('tool update accepts a name for the project’s own file too', async () => {
  const project = await applied()
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  expect(await project.run('tool', 'update', 'book', 'tools/book.yaml')).toMatchObject({
    exitCode: 0,
    stdout: 'Updated tool t-book: async\n',
  })
})

test('reports how to get an id for a name without one', async () => {
  const project = await testProject({ ...deskFiles, ...changed })
  const { exitCode, stderr } = await project.run('tool', 'update', 'book', 'changes.yaml')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('callyard.lock.yaml has no tool/book at target default')
  expect(stderr).toContain('hint: create it there: callyard apply')
  expect(project.service.requestNames).toEqual([])
})

test.each(['t-b', 'book'])('tool update %s reports an unreadable lockfile', async asked => {
  const project = await applied()
  const sent = project.service.requestNames.length
  await project.write('callyard.lock.yaml', 'targets: [\n')
  const { exitCode, stderr } = await project.run('tool', 'update', asked, 'changes.yaml')
  expect(exitCode).toBe(9)
  expect(stderr).toContain('callyard.lock.yaml:2:1 cannot be used')
  expect(project.service.requestNames).toHaveLength(sent)
})

test('sends an unknown id unchanged, and rejects a misspelled name with a suggestion', async () => {
  const project = await applied()
  expect(await project.run('tool', 'update', '6650f0c2', 'changes.yaml')).toMatchObject({ stderr: '' })
  expect(project.service.requestNames.at(-1)).toBe('PATCH 6650f0c2')
  const { stderr } = await project.run('tool', 'update', 'bok', 'changes.yaml')
  expect(stderr).toContain('the project has no tool "bok"; it is sent as an id')
  expect(stderr).toContain('did you mean book?')
})

test.each([
  ['tool/bok', 'tool "tool/bok" not found: no such name in the project', 'did you mean book?'],
  ['assistant/desk', 'assistant/desk is an assistant, not a tool', ''],
  ['', 'the id of the tool is empty', ''],
])('tool update %j is wrong usage', async (asked, message, hint) => {
  const project = await applied()
  const sent = project.service.requestNames.length
  const { exitCode, stderr } = await project.run('tool', 'update', asked, 'changes.yaml')
  expect(exitCode).toBe(2)
  expect(stderr).toContain(message)
  expect(stderr).toContain(hint)
  expect(project.service.requestNames).toHaveLength(sent)
})

test('shows several ids with that prefix', async () => {
  const project = await applied({ 'tools/bookings.yaml': tool('bookings') })
  const { exitCode, stderr } = await project.run('tool', 'update', 't-boo', 'changes.yaml')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('t-boo is a prefix of several ids in callyard.lock.yaml')
  expect(stderr).toContain('t-book, t-bookings')
  expect(await project.run('tool', 'update', 't-book', 'changes.yaml')).toMatchObject({ exitCode: 0 })
})

test('recognizes a resource by name after its file was removed', async () => {
  const project = await applied()
  await project.write('assistants/desk.yaml', assistant('Desk'))
  await project.remove('tools/book.yaml')
  await project.run('tool', 'update', 'book', 'changes.yaml')
  expect(project.service.requestNames.at(-1)).toBe('PATCH t-book')
})

test('ids of another service are not this one’s', async () => {
  const project = await applied()
  const { stderr } = await project.run('tool', 'update', 't-b', 'changes.yaml', '--target', 'elsewhere')
  expect(stderr).toBe('')
  expect(project.service.requestNames.at(-1)).toBe('PATCH t-b')
})

test('faq push --kb accepts the name of a knowledge base', async () => {
  const project = await testProject({
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: kb1\nfaq: []\n',
    'more.csv': 'question,answer\nWhen?,Now\n',
  })
  expect(await project.run('faq', 'push', 'more.csv', '--kb', 'faq', '--dry-run')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('in knowledge base kb1'),
  })
  const { exitCode, stderr } = await project.run('faq', 'push', 'more.csv', '--kb', 'kb/fqa', '--dry-run')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('did you mean faq?')
})

test.each([
  ['assistant', 'create', 'desk', 'assistants/desk.yaml'],
  ['tool', 'create', 'tool/bok', 'tools/book.yaml'],
  ['faq', 'push', 'faq.csv', 'knowledge-bases/faq.yaml'],
])('%s %s %s suggests the intended file', async (noun, verb, asked, file) => {
  const project = await testProject({
    ...deskFiles,
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: kb1\nfaq: []\n',
  })
  const { exitCode, stderr } = await project.run(noun, verb, asked)
  expect(exitCode).toBe(3)
  expect(stderr).toContain(`${asked}: error: no such file`)
  expect(stderr).toContain(`did you mean ${file}?`)
})
