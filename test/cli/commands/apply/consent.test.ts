import { expect, test } from 'vitest'
import { appliedProject, assistant, deskFiles, testProject, tool } from '../project/test-project.ts'

test('records --adopt and --forget only after they are confirmed', async () => {
  const project = await appliedProject()
  const lock = await project.read('callyard.lock.yaml')
  for (const by of [
    ['--forget', 'tool/book=t-book'],
    ['--adopt', 'tool/book=t-other'],
  ]) {
    expect(await project.run('apply', ...by)).toMatchObject({ exitCode: 2 })
    project.type('n')
    expect(await project.run('apply', ...by)).toMatchObject({ exitCode: 130 })
    expect(await project.read('callyard.lock.yaml')).toBe(lock)
  }
  expect(project.service.requestNames).toHaveLength(2)
})

test('the same --forget given twice does not create twice', async () => {
  const project = await appliedProject()
  const again = ['apply', '--yes', '--forget', 'tool/book=t-book']
  expect((await project.run(...again)).exitCode).toBe(8)
  const asked = project.service.requestNames.length
  const second = await project.run(...again)
  expect(second.exitCode).toBe(2)
  expect(second.stderr).toMatch(/tool\/book is t-book-2/)
  expect(project.service.requestNames).toHaveLength(asked)
})

test.each([
  ['plan', '--out', 'json:tools/book.yaml'],
  ['apply', '--out', 'junit:callyard.lock.yaml'],
])('%s %s %s is rejected as a file of the project', async (...command) => {
  const project = await appliedProject()
  const before = await project.read('callyard.lock.yaml')
  const result = await project.run(...command)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain('would overwrite a file of the project')
  expect(await project.read('callyard.lock.yaml')).toBe(before)
  expect(await project.read('tools/book.yaml')).toBe(deskFiles['tools/book.yaml'])
})

test('redacts a secret in the service’s response in lines, documents, reports and annotations', async () => {
  const secret = 'hunter2-and-more'
  const files = { 'tools/a.yaml': tool('a', 'server: { url: "https://x.example.com/${env:HOOK}" }\n') }
  const project = await testProject(files, { HOOK: secret, GITHUB_ACTIONS: 'true' })
  project.service.next('POST tool/a', {
    status: 422,
    json: { message: `https://x.example.com/${secret} cannot be reached` },
  })
  const result = await project.run('apply', '--yes', '--json', '--debug', '--out', 'report.xml')
  expect(result.exitCode).toBe(5)
  expect(result.stderr).toContain('https://x.example.com/**** cannot be reached')
  expect(result.stdout + result.stderr + (await project.read('report.xml'))).not.toContain(secret)
  expect(project.service.bodiesOf('POST tool/a')).toMatchObject([
    { server: { url: `https://x.example.com/${secret}` } },
  ])
})

test('creates assistants one by one after a knowledge base until one reveals the team', async () => {
  const project = await appliedProject({ 'tools/book.yaml': tool('book') })
  await project.write('knowledge-bases/faq.yaml', 'knowledgeBaseId: k\nfaq: [{ question: Q, answer: a }]\n')
  for (const name of ['A', 'B', 'C']) {
    const uses =
      'assistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: ["${kb:faq}"]\n'
    await project.write(`assistants/${name}.yaml`, assistant(name, [], uses))
  }
  project.service.team('team-2')
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(9)
  expect(project.service.requestNames.filter(each => each.startsWith('POST assistant'))).toEqual([
    'POST assistant/A',
  ])
  expect(JSON.parse(result.stdout).skipped).toHaveLength(2)
})

test('does not keep asking a service that is full for longer than the wait', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const project = await testProject(Object.fromEntries(names.map(name => [`tools/${name}.yaml`, tool(name)])))
  project.service.next('POST tool/a', { status: 429, headers: { 'retry-after': '3600' } })
  const result = await project.apply('--concurrency', '1', '--json')
  expect(result.exitCode).toBe(5)
  expect(project.service.requestNames).toEqual(['POST tool/a'])
  expect(JSON.parse(result.stdout).skipped).toHaveLength(5)
})

test('a first apply at a wrong address leaves no team behind', async () => {
  const project = await testProject(deskFiles)
  const right = project.env.CALLYARD_BASE_URL
  project.env.CALLYARD_BASE_URL = 'http://127.0.0.1:1'
  expect((await project.apply()).exitCode).toBe(6)
  project.env.CALLYARD_BASE_URL = right
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(await project.section()).toMatchObject({ baseUrl: `${right}/` })
})

test('a resource folder that is not a folder is an error', async () => {
  const project = await appliedProject()
  await project.remove('tools')
  await project.write('tools', 'not a folder')
  const result = await project.run('plan')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toContain('tools: error: this is not a folder')
})
