import { expect, test } from 'vitest'
import { appliedProject, assistant, deskFiles, testProject, tool } from '../project/test-project.ts'

const faq = 'knowledge-bases/faq.yaml'
const declaredPut = { 'callyard.yaml': 'endpoints: { updateAssistant: "PUT /own/{id}" }\n' }
const greeting = assistant('Desk', ['book'], 'welcomeMessage: Hello\n')
const pushed = 'knowledgeBaseId: kb1\nfaq:\n  - id: f-q\n    question: q\n    answer: b\n'

test.each([
  ['PATCH t-book', {}, 'tools/book.yaml', tool('book', 'async: true\n'), { status: 204 }],
  ['PUT a-Desk', declaredPut, 'assistants/desk.yaml', greeting, { json: {} }],
  [
    'PUT kb/kb1',
    { [faq]: 'knowledgeBaseId: kb1\nfaq: [{ question: q, answer: a }]\n' },
    faq,
    pushed,
    { json: [] },
  ],
])(
  '%s with a response without a record is done, recorded and not sent again',
  async (name, files, file, changed, answer) => {
    const project = await appliedProject({ ...deskFiles, ...files })
    await project.write(file, changed)
    project.service.next(name, answer)
    expect(await project.apply()).toMatchObject({ exitCode: 0 })
    expect(project.service.requestNames.at(-1)).toBe(name)
    expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
  },
)

test('an update whose response is the record of another tool is done with a warning', async () => {
  const project = await appliedProject()
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
