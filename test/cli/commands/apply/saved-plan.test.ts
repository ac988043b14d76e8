import { expect, test } from 'vitest'
import { projectService } from '../project/project-service.ts'
import {
  assistant,
  deskFiles,
  type TestProject,
  testProject,
  tool,
  unwrapped,
} from '../project/test-project.ts'

const files = {
  ...deskFiles,
  'tools/book.yaml': tool('book', 'server: { url: "https://example.com", token: "${env:TOKEN}" }\n'),
  'assistants/desk.yaml': assistant('Desk', ['book'], 'assistantSystemPrompt: ${file:../prompt.md}\n'),
  'prompt.md': 'Be brief.\n',
}

async function withSavedPlan(): Promise<TestProject> {
  const project = await testProject(files, { TOKEN: 'secret-1' })
  await project.write('tools/first.yaml', tool('first'))
  await project.apply()
  await project.write('tools/new.yaml', tool('new'))
  const saved = await project.run('plan', '--out', 'plan.json')
  expect(saved.exitCode).toBe(0)
  expect(saved.stderr).toContain('callyard apply plan.json')
  return project
}

test('applies a saved plan unchanged', async () => {
  const project = await withSavedPlan()
  const asked = project.service.requestNames.length
  expect(await project.run('apply', 'plan.json', '--yes')).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames.slice(asked)).toEqual(['POST tool/new'])
})

test('a saved plan can be applied once', async () => {
  const project = await withSavedPlan()
  await project.run('apply', 'plan.json', '--yes')
  const asked = project.service.requestNames.length
  const again = await project.run('apply', 'plan.json', '--yes')
  expect(again.exitCode).toBe(9)
  expect(again.stderr).toContain('callyard.lock.yaml changed')
  expect(project.service.requestNames).toHaveLength(asked)
})

test('exits with 9 after a change, lists it without secrets, and sends nothing', async () => {
  const project = await withSavedPlan()
  await project.write('tools/book.yaml', `${files['tools/book.yaml']}# later\n`)
  await project.write('prompt.md', 'Be long.\n')
  project.env.TOKEN = 'secret-2'
  const asked = project.service.requestNames.length
  const lock = await project.read('callyard.lock.yaml')
  const result = await project.run('apply', 'plan.json', '--yes')
  expect(result).toMatchObject({ exitCode: 9, stdout: '' })
  expect(result.stderr).toContain('plan.json is out of date; nothing was sent')
  for (const said of [
    'tools/book.yaml changed',
    'assistants/desk.yaml → ../prompt.md changed',
    'TOKEN changed',
  ])
    expect(result.stderr).toContain(said)
  expect(result.stderr).toContain('create a new plan: callyard plan --out plan.json')
  expect(result.stderr).not.toContain('secret-')
  expect(project.service.requestNames).toHaveLength(asked)
  expect(await project.read('callyard.lock.yaml')).toBe(lock)
})

test('is sent to its own target', async () => {
  const project = await testProject(deskFiles)
  await project.run('plan', '--target', 'two', '--new-target', '--out', 'plan.json')
  expect(await project.run('apply', 'plan.json', '--yes')).toMatchObject({ exitCode: 0 })
  expect(await project.section('two')).toMatchObject({ resources: { 'tool/book': { id: 't-book' } } })
  expect(await project.section()).toBeUndefined()
})

test('is sent only to its own address', async () => {
  const project = await testProject(deskFiles)
  await project.run('plan', '--out', 'plan.json')
  const other = await projectService()
  project.env.CALLYARD_BASE_URL = other.baseUrl
  const result = await project.run('apply', 'plan.json', '--yes')
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain(`it is for ${project.service.baseUrl}/, and this is ${other.baseUrl}/`)
  expect([...project.service.requestNames, ...other.requestNames]).toEqual([])
})

test('not together with --adopt or --forget', async () => {
  const project = await withSavedPlan()
  for (const more of [
    ['--adopt', 'tool/new=t1'],
    ['--forget', 'tool/first'],
  ]) {
    const result = await project.run('apply', 'plan.json', '--yes', ...more)
    expect(result.exitCode).toBe(2)
    expect(unwrapped(result.stderr)).toContain('cannot be combined with --adopt, --forget or --resend')
  }
  expect(await project.recorded('tool/first')).toBeDefined()
})

test.each([
  ['that is not there', undefined],
  ['that is no plan', '{"kind":"other"}'],
])('a file %s is invalid input', async (_, content) => {
  const project = await testProject(deskFiles)
  if (content !== undefined) await project.write('plan.json', content)
  const result = await project.run('apply', 'plan.json', '--yes')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('plan.json')
  expect(result.stderr).toContain('callyard plan --out plan.json')
  expect(project.service.requestNames).toEqual([])
})
