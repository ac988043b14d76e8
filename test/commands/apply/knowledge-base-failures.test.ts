import { expect, test } from 'vitest'
import { testProject } from '../project/test-project.ts'

const faq = `knowledgeBaseId: kb1
faq:
  - question: A   # first
    answer: a
  - question: B
    answer: b
`
const withIds = faq
  .replace('- question: A', '- id: f-A\n    question: A')
  .replace('- question: B', '- id: f-B\n    question: B')
const desk = `name: Desk
assistantPredefinedTools: { knowledgeBase: true }
assistantKnowledgeBaseIds: ["\${kb:faq}"]
`
const files = { 'knowledge-bases/faq.yaml': faq, 'assistants/desk.yaml': desk }

test('exits with 9 for a batch without a response, which --forget inserts again', async () => {
  const project = await testProject(files)
  project.service.next('POST kb/kb1', 'reset')
  const first = await project.apply()
  expect(first.exitCode).toBe(9)
  expect(await project.recorded('kb/faq')).toMatchObject({ pending: [{ line: 3 }, { line: 5 }] })
  const second = await project.apply()
  expect(second.exitCode).toBe(9)
  expect(second.stderr).toContain('2 entries of kb/faq: "A", "B"')
  expect(second.stderr).toContain('write their ids into the file')
  expect(project.service.asked).toEqual(['POST kb/kb1'])
  expect(await project.apply('--forget', 'kb/faq')).toMatchObject({ exitCode: 0 })
  expect(project.service.asked).toEqual(['POST kb/kb1', 'POST kb/kb1', 'POST assistant/Desk'])
  expect(await project.read('knowledge-bases/faq.yaml')).toBe(withIds)
})

test('inserts nothing twice after entry ids were added by hand', async () => {
  const project = await testProject(files)
  project.service.next('POST kb/kb1', 'taken')
  await project.apply()
  await project.write('knowledge-bases/faq.yaml', withIds)
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.asked.filter(name => name === 'POST kb/kb1')).toHaveLength(1)
})

test('exits with 8 if a later batch is rejected, and the next run inserts only the rest', async () => {
  const many = Array.from({ length: 150 }, (_, index) => `  - question: Q${index}\n    answer: a\n`)
  const project = await testProject({
    ...files,
    'knowledge-bases/faq.yaml': `knowledgeBaseId: kb1\nfaq:\n${many.join('')}`,
  })
  const first = project.service.hold('POST kb/kb1')
  project.service.next('POST kb/kb1', { status: 422, json: { message: 'too many' } })
  const running = project.apply('--json')
  await first.arrived
  first.release()
  const result = await running
  expect(result.exitCode).toBe(8)
  expect(JSON.parse(result.stdout).failed[0]).toMatchObject({
    address: 'kb/faq',
    reason: expect.stringContaining('100 of 150 entries were pushed, then:'),
  })
  expect(JSON.parse(result.stdout).skipped).toMatchObject([{ address: 'assistant/desk' }])
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  const sent = project.service.bodiesOf('POST kb/kb1')
  expect(sent.map(body => JSON.stringify(body).match(/"Q\d+"/g)?.length)).toEqual([100, 50, 50])
  expect(Object.keys((await project.recorded('kb/faq'))?.entries ?? {})).toHaveLength(150)
})
