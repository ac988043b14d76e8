import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { assistant, deskFiles, testProject, tool, unwrapped } from './test-project.ts'

const kinds = [
  ['tool', ['tool', 'create', 'tools/book.yaml'], 'POST tool/book', 'tool/book', 't-book'],
  [
    'assistant',
    ['assistant', 'create', 'assistants/desk.yaml'],
    'POST assistant/Desk',
    'assistant/desk',
    'a-Desk',
  ],
] as const
const files = { 'tools/book.yaml': tool('book'), 'assistants/desk.yaml': assistant('Desk') }

test.each(kinds)(
  '%s create records the id of a project’s file: apply has nothing to do with it',
  async (...kind) => {
    const [, command, request, address, id] = kind
    const project = await testProject(files)
    const result = await project.run(...command, '--json')
    expect(result).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse(result.stdout)).toMatchObject({ _id: id, teamId: 'team-1' })
    expect(await project.recorded(address)).toMatchObject({ id })
    expect(await project.section()).toMatchObject({ teamId: 'team-1' })
    await project.apply()
    expect(project.service.requestNames.filter(name => name === request)).toHaveLength(1)
    expect(await project.exists('.callyard/project.lock')).toBe(false)
  },
)

test.each(kinds)('a second %s create needs --allow-duplicate, and remembers the first', async (...kind) => {
  const [, command, request, address, id] = kind
  const project = await testProject(files)
  await project.run(...command)
  const lock = await project.read('callyard.lock.yaml')
  const refused = await project.run(...command)
  expect(refused).toMatchObject({ exitCode: 9, stdout: '' })
  expect(unwrapped(refused.stderr)).toContain(`${address} already exists as ${id} at target default`)
  expect(refused.stderr).toContain('--allow-duplicate')
  expect(await project.read('callyard.lock.yaml')).toBe(lock)
  expect(await project.run(...command, '--allow-duplicate')).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames).toEqual([request, request])
  expect(await project.recorded(address)).toMatchObject({ id: `${id}-2`, replaced: [id] })
})

test.each(kinds)('records a %s create without a response, and creates nothing twice', async (...kind) => {
  const [, command, request, address] = kind
  const project = await testProject(files)
  project.service.next(request, 'taken')
  expect((await project.run(...command)).exitCode).toBe(6)
  expect((await project.recorded(address))?.creating).toBeDefined()
  const again = await project.run(...command)
  expect(again.exitCode).toBe(9)
  expect(again.stderr).toContain(`--adopt ${address}=<id>, or callyard apply --forget ${address}`)
  expect((await project.apply()).exitCode).toBe(9)
  expect(project.service.requestNames).toEqual([request])
})

test.each(kinds)('a rejected %s create leaves no trace', async (...kind) => {
  const [, command, request, address] = kind
  const project = await testProject(files)
  project.service.next(request, { status: 422, json: { message: 'not so' } })
  expect((await project.run(...command)).exitCode).toBe(5)
  expect(await project.recorded(address)).toBeUndefined()
  expect(await project.run(...command)).toMatchObject({ exitCode: 0 })
})

test('without a key: 4, nothing sent, nothing written', async () => {
  const project = await testProject(files, { CALLYARD_API_KEY: undefined })
  expect((await project.run('tool', 'create', 'tools/book.yaml')).exitCode).toBe(4)
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('a file beside the project’s folders is created as ever, and not recorded', async () => {
  const project = await testProject({ ...deskFiles, 'other.yaml': tool('other') })
  for (let times = 0; times < 2; times += 1)
    expect(await project.run('tool', 'create', 'other.yaml')).toMatchObject({ exitCode: 0 })
  expect(await project.exists('callyard.lock.yaml')).toBe(false)
})

test('prints one dim line with the next command, by the name in the project', async () => {
  const project = await testProject({ ...files, 'other.yaml': assistant('Other') })
  const stderr = async (...command: string[]) => (await project.run(...command)).stderr
  expect(await stderr('assistant', 'create', 'assistants/desk.yaml')).toBe(
    'Next: callyard call start --assistant desk\n',
  )
  expect(await stderr('tool', 'create', 'tools/book.yaml')).toBe(
    'Next: assistantToolIds: ["${tool:book}"] in an assistant\'s file\n',
  )
  expect(await stderr('assistant', 'create', 'other.yaml')).toBe(
    'Next: callyard call start --assistant-id a-Other\n',
  )
})

test('in a project the form makes one of its files, and records it', async () => {
  const project = await testProject({ 'assistants/kranz-cafe.yaml': assistant('Old') })
  project.type('Kränz Café', 'Say ${hi}', 'automatic', 'Be kind.', '10', '', 'assistants/kranz-cafe-2.yaml')
  const result = await project.run('assistant', 'create')
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Created assistant a-Kränz Café (Kränz Café)\n' })
  expect(parse(await project.read('assistants/kranz-cafe-2.yaml'))).toMatchObject({ name: 'Kränz Café' })
  expect(project.service.requests[0]?.body).toEqual({
    name: 'Kränz Café',
    welcomeMessage: 'Say ${hi}',
    welcomeMessageMode: 'automatic',
    assistantSystemPrompt: 'Be kind.',
    maxCallDuration: 10,
  })
  expect(await project.recorded('assistant/kranz-cafe-2')).toMatchObject({ id: 'a-Kränz Café' })
  await project.apply()
  expect(project.service.requestNames.slice(1)).toEqual(['POST assistant/Old'])
})
