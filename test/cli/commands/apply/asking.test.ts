import { expect, test } from 'vitest'
import { appliedProject, assistant, deskFiles, testProject } from '../project/test-project.ts'

test.each([
  ['without a terminal', {}, ['apply'], [], 2, '--yes'],
  ['after a no', {}, ['apply'], ['n'], 130, 'Cancelled; nothing was sent'],
  [
    'with --quiet, which hides what is to be confirmed',
    {},
    ['apply', '--quiet'],
    ['y'],
    2,
    'hint: pass --yes, or remove --quiet',
  ],
  ['without a key', { CALLYARD_API_KEY: undefined }, ['apply', '--yes'], [], 4, 'no API key'],
  ['without a base URL', { CALLYARD_BASE_URL: undefined }, ['apply', '--yes'], [], 2, 'base URL'],
] as const)('sends and writes nothing %s', async (_, env, argv, answers, exitCode, said) => {
  const project = await testProject(deskFiles, env)
  project.type(...answers)
  const result = await project.run(...argv)
  expect(result).toMatchObject({ exitCode, stdout: '' })
  expect(result.stderr).toContain(said)
  expect(project.service.requestNames).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('a person who says yes needs no --yes', async () => {
  const project = await testProject(deskFiles)
  project.type('y')
  const result = await project.run('apply')
  expect(result.exitCode).toBe(0)
  expect(result.stderr).toContain('Plan: 2 to create.')
  expect(project.service.requestNames).toEqual(['POST tool/book', 'POST assistant/Desk'])
})

test('--quiet asks nothing where nothing is to be done', async () => {
  const project = await appliedProject()
  expect(await project.run('apply', '--quiet')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('invalid files: 3 with every finding, nothing sent', async () => {
  const project = await testProject({
    'assistants/a.yaml': assistant('A', [], 'idleTimeout: 3\n'),
    'assistants/b.yaml': assistant('B', ['bok']),
    'tools/book.yaml': deskFiles['tools/book.yaml'],
  })
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('assistants/a.yaml:2:14: error:')
  expect(result.stderr).toContain('assistants/b.yaml:3:5: error:')
  expect(JSON.parse(result.stdout)).toMatchObject({ error: { kind: 'invalid', exitCode: 3 } })
  expect(project.service.requestNames).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})
