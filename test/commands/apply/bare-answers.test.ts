import { expect, test } from 'vitest'
import { assistant, deskFiles, testProject, tool } from '../project/test-project.ts'

const bare = [
  ['204', { status: 204 }],
  ['{}', { json: {} }],
  ['a body without id', { json: { async: true } }],
  ['a list', { json: [] }],
] as const

test.each(bare)('a PATCH with response %s is done, recorded and not sent again', async (_, answer) => {
  const project = await testProject(deskFiles)
  await project.apply()
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  project.service.next('PATCH t-book', answer)
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(await project.recorded('tool/book')).toMatchObject({ id: 't-book', body: { async: true } })
  expect((await project.recorded('tool/book'))?.updating).toBeUndefined()
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test.each(bare)('a declared update of an assistant with response %s is done', async (_, answer) => {
  const project = await testProject({
    ...deskFiles,
    'callyard.yaml': 'endpoints: { updateAssistant: "PUT /own/{id}" }\n',
  })
  await project.apply()
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'welcomeMessage: Hello\n'))
  project.service.next('PUT a-Desk', answer)
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(await project.recorded('assistant/desk')).toMatchObject({
    id: 'a-Desk',
    body: { welcomeMessage: 'Hello' },
  })
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test.each(bare)('a PUT of FAQ entries with response %s is done', async (_, answer) => {
  const project = await testProject({
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: kb1\nfaq:\n  - question: q\n    answer: a\n',
  })
  await project.apply()
  const file = await project.read('knowledge-bases/faq.yaml')
  await project.write('knowledge-bases/faq.yaml', file.replace('answer: a', 'answer: b'))
  project.service.next('PUT kb/kb1', answer)
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('an update whose response is the record of another tool is done with a warning', async () => {
  const project = await testProject(deskFiles)
  await project.apply()
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  project.service.next('PATCH t-book', { json: { _id: 't-other' } })
  const result = await project.apply()
  expect(result.exitCode).toBe(0)
  expect(result.stderr).toContain('PATCH of t-book returned the record of t-other')
  expect(await project.recorded('tool/book')).toMatchObject({ id: 't-book' })
})

test('converts numeric ids to strings', async () => {
  const project = await testProject({
    ...deskFiles,
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: kb1\nfaq:\n  - question: q\n    answer: a\n',
  })
  project.service.team('3')
  project.service.next('POST tool/book', { json: { _id: 17, teamId: 3 } })
  project.service.next('POST kb/kb1', { json: { faq: [{ id: 5, question: 'q', answer: 'a' }] } })
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(await project.section()).toMatchObject({ teamId: '3' })
  expect(await project.recorded('tool/book')).toMatchObject({ id: '17' })
  expect(project.service.bodiesOf('POST assistant/Desk')).toEqual([
    { name: 'Desk', assistantToolIds: ['17'] },
  ])
  expect(await project.read('knowledge-bases/faq.yaml')).toMatch(/id: ["']5["']/)
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('an id that JSON could not carry in full is not taken', async () => {
  const project = await testProject({ 'tools/book.yaml': tool('book') })
  project.service.next('POST tool/book', { json: { _id: 2 ** 60 } })
  const result = await project.apply()
  expect(result.exitCode).toBe(9)
  expect(result.stderr).toContain('the response has no id of the tool')
  expect(result.stderr).toContain(
    'look up its id in the service, then run: callyard apply --adopt tool/book=<id>',
  )
  expect(result.stderr).not.toContain('--forget')
})

test.each(bare)('tool update prints what is known after the response %s', async (_, answer) => {
  const project = await testProject({ ...deskFiles, 'change.yaml': 'async: true\n' })
  project.service.next('PATCH t-book', answer)
  const { stdout, exitCode } = await project.run('tool', 'update', 't-book', 'change.yaml', '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ _id: 't-book' })
})
