import { expect, test } from 'vitest'
import { appliedProject, assistant, deskFiles, testProject, tool } from './test-project.ts'

const numbers = ['--from', '+12025550100', '--to', '+12025550123']
const kbFiles = {
  'knowledge-bases/faq.yaml': 'knowledgeBaseId: "${env:KB}"\nfaq: [{ question: When?, answer: Now }]\n',
  'assistants/desk.yaml': assistant(
    'Desk',
    ['book'],
    'assistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: ["${kb:faq}"]\n',
  ),
}

test('assistant create uses the ids of the lockfile and of knowledge bases', async () => {
  const project = await testProject({ ...deskFiles, ...kbFiles }, { KB: 'kb1' })
  await project.run('tool', 'update', 't-known', 'tools/book.yaml')
  const result = await project.run('assistant', 'create', 'assistants/desk.yaml')
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Created assistant a-Desk (Desk)\n' })
  expect(project.service.bodiesOf('POST assistant/Desk')).toMatchObject([
    { assistantToolIds: ['t-known'], assistantKnowledgeBaseIds: ['kb1'] },
  ])
})

test('call start uses the ids of the lockfile for an inline assistant', async () => {
  const project = await appliedProject()
  const result = await project.run(
    'call',
    'start',
    ...numbers,
    '--assistant',
    'assistants/desk.yaml',
    '--dry-run',
    '--json',
  )
  expect(result.exitCode).toBe(0)
  expect(JSON.parse(result.stdout).body.assistant).toEqual({ name: 'Desk', assistantToolIds: ['t-book'] })
  expect(project.service.requestNames).toHaveLength(2)
})

test.each([
  ['assistant create', ['assistant', 'create', 'assistants/desk.yaml']],
  ['call start', ['call', 'start', '--yes', ...numbers, '--assistant', 'assistants/desk.yaml']],
])('%s with a tool that the lockfile does not have: 3 with what makes it', async (_, command) => {
  const project = await testProject(deskFiles)
  const result = await project.run(...command)
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toContain('assistants/desk.yaml:3:5: error:')
  expect(result.stderr).toContain('callyard.lock.yaml has no tool/book at target default')
  expect(result.stderr).toContain('hint: create it there: callyard apply')
  expect(project.service.requestNames).toEqual([])
})

test('uses the ids of the current target', async () => {
  const project = await testProject(deskFiles)
  await project.apply('--target', 'elsewhere')
  const result = await project.run('assistant', 'create', 'assistants/desk.yaml')
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain('--target elsewhere')
  expect(project.service.requestNames).toHaveLength(2)
})

test('validate needs no lockfile: an existing name passes, a typo does not', async () => {
  const project = await testProject(deskFiles)
  expect(await project.run('validate', '.')).toMatchObject({ exitCode: 0 })
  await project.write('assistants/desk.yaml', assistant('Desk', ['bok']))
  const result = await project.run('validate', 'assistants/desk.yaml')
  expect(result.exitCode).toBe(3)
  expect(result.stdout).toContain('assistants/desk.yaml:3:5: error:')
})

test('outside of a project a reference is an error that says why', async () => {
  const project = await testProject({ 'assistants/desk.yaml': assistant('Desk', ['book']) })
  await project.remove('callyard.yaml')
  const result = await project.run('assistant', 'create', 'assistants/desk.yaml')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('assistants/desk.yaml:3:5: error:')
  expect(result.stderr).toContain('callyard.yaml')
})

test('call chat uses the project’s tools from their files, without lockfile or service', async () => {
  const project = await testProject(deskFiles, {
    CALLYARD_BASE_URL: undefined,
    CALLYARD_API_KEY: undefined,
  })
  const result = await project.runWith({ input: 'Hello\n' }, 'call', 'chat', 'assistants/desk.yaml', '--json')
  expect(result.stderr).not.toContain('error')
  expect(result.exitCode).toBe(0)
  expect(project.service.requestNames).toEqual([])
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('call chat reports problems of the assistant’s tools', async () => {
  const project = await testProject({ ...deskFiles, 'tools/book.yaml': tool('book', 'async: maybe\n') })
  const result = await project.runWith({ input: 'Hello\n' }, 'call', 'chat', 'assistants/desk.yaml')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('tools/book.yaml:3:8')
})
