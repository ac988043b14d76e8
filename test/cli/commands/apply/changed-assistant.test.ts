import { expect, test } from 'vitest'
import { appliedProject, assistant, deskFiles, tool, unwrapped } from '../project/test-project.ts'

const declared = (endpoint: string) => `endpoints: { updateAssistant: "${endpoint}" }\n`

test('a changed assistant is blocked with its choices; the rest is done, and the end is 8', async () => {
  const project = await appliedProject()
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 20\n'))
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  const result = await project.apply()
  expect(result.exitCode).toBe(8)
  expect(result.stdout).toContain('Target default: 1 updated, 1 blocked.')
  expect(result.stdout).toContain('the interface cannot update assistants')
  expect(unwrapped(result.stdout)).toContain('set assistants: replace in callyard.yaml')
  expect(unwrapped(result.stdout)).toContain('endpoints: { updateAssistant: "PATCH')
  expect(result.stderr).toContain('assistant/desk')
  expect(project.service.requestNames.slice(2)).toEqual(['PATCH t-book'])

  const again = await project.run('apply', '--json')
  expect(again.exitCode).toBe(8)
  expect(JSON.parse(again.stdout)).toMatchObject({
    done: [],
    blocked: [{ address: 'assistant/desk', id: 'a-Desk', status: 'blocked' }],
    unchanged: ['tool/book'],
  })
  expect(project.service.requestNames).toHaveLength(3)
})

test('a plan with only blocked changes needs no prompt, key or request', async () => {
  const project = await appliedProject()
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 20\n'))
  project.env.CALLYARD_API_KEY = undefined
  const result = await project.run('apply')
  expect(result.exitCode).toBe(8)
  expect(result.stderr).toContain('the plan above lists your options for each resource')
  expect(project.service.requestNames).toHaveLength(2)
})

test('with assistants: replace, creates a new one and keeps and prints the old id', async () => {
  const project = await appliedProject({ ...deskFiles, 'callyard.yaml': 'assistants: replace\n' })
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 20\n'))
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(0)
  expect(unwrapped(result.stderr)).toContain('a-Desk remains until you delete it at the service')
  expect(result.stderr).toContain('a-Desk remains at the service')
  expect(JSON.parse(result.stdout).done).toMatchObject([
    { address: 'assistant/desk', action: 'replace', id: 'a-Desk-2' },
  ])
  expect(project.service.bodiesOf('POST assistant/Desk').at(-1)).toEqual({
    name: 'Desk',
    assistantToolIds: ['t-book'],
    idleTimeout: 20,
  })
  expect(await project.recorded('assistant/desk')).toMatchObject({ id: 'a-Desk-2', replaced: ['a-Desk'] })

  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 30\n'))
  await project.apply()
  expect(await project.recorded('assistant/desk')).toMatchObject({
    id: 'a-Desk-3',
    replaced: ['a-Desk', 'a-Desk-2'],
  })
  expect(await project.run('apply')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('updates what refers to a replaced assistant with its new id', async () => {
  const project = await appliedProject({
    'callyard.yaml': 'assistants: replace\n',
    'assistants/desk.yaml': assistant('Desk'),
    'assistants/night.yaml': assistant('Night', [], 'assistantSystemPrompt: by day ${assistant:desk}\n'),
  })
  await project.write('assistants/desk.yaml', assistant('Desk', [], 'idleTimeout: 20\n'))
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.bodiesOf('POST assistant/Night').at(-1)).toEqual({
    name: 'Night',
    assistantSystemPrompt: 'by day a-Desk-2',
  })
})

test('a declared PATCH gets the changed fields; what was taken out goes out with its default', async () => {
  const project = await appliedProject({
    'callyard.yaml': declared('PATCH /v2/assistants/{id}'),
    'assistants/desk.yaml': assistant('Desk', [], 'idleTimeout: 20\nwelcomeMessage: Hello\n'),
  })
  await project.write('assistants/desk.yaml', assistant('Desk', [], 'welcomeMessage: Good day\n'))
  const result = await project.apply()
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Target default: 1 updated.\n' })
  expect(project.service.requests.at(-1)).toEqual({
    method: 'PATCH',
    path: '/v2/assistants/a-Desk',
    body: { welcomeMessage: 'Good day', idleTimeout: 30 },
  })
  expect(await project.recorded('assistant/desk')).toEqual({
    id: 'a-Desk',
    body: { name: 'Desk', welcomeMessage: 'Good day' },
  })
})

test('a declared PUT gets the whole assistant', async () => {
  const project = await appliedProject({
    'callyard.yaml': declared('PUT /assistants/v1/assistants/{id}/all'),
    'tools/book.yaml': tool('book'),
    'assistants/desk.yaml': assistant('Desk', ['book'], 'maxCallDuration: 5\n'),
  })
  await project.write('assistants/desk.yaml', assistant('Desk', ['book']))
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.requests.at(-1)).toEqual({
    method: 'PUT',
    path: '/assistants/v1/assistants/a-Desk/all',
    body: { name: 'Desk', assistantToolIds: ['t-book'] },
  })
})

test('a rejected replacement keeps the known state', async () => {
  const project = await appliedProject({ ...deskFiles, 'callyard.yaml': 'assistants: replace\n' })
  const before = await project.recorded('assistant/desk')
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 20\n'))
  project.service.next('POST assistant/Desk', { status: 422 })
  expect((await project.apply()).exitCode).toBe(5)
  expect(await project.recorded('assistant/desk')).toEqual(before)
})
