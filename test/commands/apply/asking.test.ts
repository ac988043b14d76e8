import { expect, test } from 'vitest'
import { assistant, deskFiles, testProject } from '../project/test-project.ts'

test('without a terminal --yes is needed: nothing is sent, no lockfile is written', async () => {
  const project = await testProject(deskFiles)
  const result = await project.run('apply')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain('+ tool/book')
  expect(result.stderr).toContain('--yes')
  expect(project.service.asked).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('a person who says yes needs no --yes', async () => {
  const project = await testProject(deskFiles)
  project.type('y')
  const result = await project.run('apply')
  expect(result.exitCode).toBe(0)
  expect(result.stderr).toContain('Plan: 2 to create.')
  expect(project.service.asked).toEqual(['POST tool/book', 'POST assistant/Desk'])
})

test('a no exits with 130, and nothing is sent or written', async () => {
  const project = await testProject(deskFiles)
  project.type('n')
  const result = await project.run('apply')
  expect(result.exitCode).toBe(130)
  expect(result.stderr).toContain('Cancelled; nothing was sent')
  expect(result.stderr).not.toContain('error:')
  expect(project.service.asked).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('--quiet hides the details of a prompt, so it exits with 2 and mentions --yes instead of asking', async () => {
  const project = await testProject(deskFiles)
  project.type('y')
  const result = await project.run('apply', '--quiet')
  expect(result).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'error: --quiet hides the plan that you would be asked about; nothing was sent\nhint: pass --yes, or remove --quiet\n',
  })
  expect(project.service.asked).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('--quiet asks nothing where nothing is to be done', async () => {
  const project = await testProject(deskFiles)
  await project.apply()
  expect(await project.run('apply', '--quiet')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('without a key: 4, before any question, with nothing written', async () => {
  const project = await testProject(deskFiles, { CALLYARD_API_KEY: undefined })
  const result = await project.apply()
  expect(result.exitCode).toBe(4)
  expect(project.service.asked).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('without a base URL: 2', async () => {
  const project = await testProject(deskFiles, { CALLYARD_BASE_URL: undefined })
  expect(await project.apply()).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
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
  expect(project.service.asked).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})
