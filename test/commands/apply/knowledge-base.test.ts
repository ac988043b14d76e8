import { expect, test } from 'vitest'
import { testProject, unwrapped } from '../project/test-project.ts'

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

test('inserts entries, writes their ids into the file, and refers to the knowledge base by its id', async () => {
  const project = await testProject(files)
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(0)
  expect(JSON.parse(result.stdout).done).toMatchObject([
    { address: 'kb/faq', action: 'update', summary: '2 entries inserted' },
    { address: 'assistant/desk', id: 'a-Desk' },
  ])
  expect(project.service.asked).toEqual(['POST kb/kb1', 'POST assistant/Desk'])
  expect(project.service.bodiesOf('POST assistant/Desk')).toMatchObject([
    { assistantKnowledgeBaseIds: ['kb1'] },
  ])
  expect(await project.read('knowledge-bases/faq.yaml')).toBe(withIds)
  const recorded = await project.recorded('kb/faq')
  expect(recorded).toEqual({
    body: { knowledgeBaseId: 'kb1' },
    entries: { 'f-A': expect.any(String), 'f-B': expect.any(String) },
    texts: { 'f-A': { question: 'A', answer: 'a' }, 'f-B': { question: 'B', answer: 'b' } },
  })
  expect(await project.run('apply')).toMatchObject({
    exitCode: 0,
    stdout: 'Up to date: 2 resources of target default.\n',
  })
})

test('sends the changed entry and reports the missing one', async () => {
  const project = await testProject(files)
  await project.apply()
  const [head] = withIds.split('  - id: f-B')
  await project.write('knowledge-bases/faq.yaml', (head ?? '').replace('answer: a', 'answer: new'))
  const result = await project.apply()
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Target default: 1 updated, 1 unchanged.\n' })
  expect(result.stderr).toContain('entries: 1 to update, 1 orphaned')
  expect(result.stderr).toContain('? f-B "B"')
  expect(project.service.asked.slice(2)).toEqual(['PUT kb/kb1'])
  expect(project.service.bodiesOf('PUT kb/kb1')).toEqual([
    { faq: [{ id: 'f-A', question: 'A', answer: 'new' }] },
  ])
  const again = await project.run('apply')
  expect(again.exitCode).toBe(0)
  expect(again.stdout).toContain('1 orphaned, 1 unchanged')
  expect(project.service.asked).toHaveLength(3)
})

test('a second target gets its own entries with ids in the lockfile, and the file is unchanged', async () => {
  const project = await testProject(files)
  await project.apply()
  expect(await project.apply('--target', 'two', '--new-target')).toMatchObject({ exitCode: 0 })
  expect(project.service.bodiesOf('POST kb/kb1')[1]).toEqual({
    faq: [
      { question: 'A', answer: 'a' },
      { question: 'B', answer: 'b' },
    ],
  })
  expect(await project.read('knowledge-bases/faq.yaml')).toBe(withIds)
  expect((await project.recorded('kb/faq', 'two'))?.entries).toMatchObject({
    'f-A': { id: 'f-A-2' },
    'f-B': { id: 'f-B-2' },
  })

  await project.write('knowledge-bases/faq.yaml', withIds.replace('answer: b', 'answer: new'))
  await project.apply()
  await project.apply('--target', 'two')
  expect(project.service.bodiesOf('PUT kb/kb1')).toEqual([
    { faq: [{ id: 'f-B', question: 'B', answer: 'new' }] },
    { faq: [{ id: 'f-B-2', question: 'B', answer: 'new' }] },
  ])
  for (const more of [[], ['--target', 'two']])
    expect((await project.run('apply', ...more)).stdout).toContain('Up to date: 2 resources')
})

test('an id that no command recorded was written by hand: it is updated, not inserted', async () => {
  const project = await testProject({ ...files, 'knowledge-bases/faq.yaml': withIds })
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.asked).toEqual(['PUT kb/kb1', 'POST assistant/Desk'])
})

test('a knowledge base whose id comes from the environment is not replaced', async () => {
  const project = await testProject(
    { ...files, 'knowledge-bases/faq.yaml': faq.replace('kb1', '"${env:KB}"') },
    { KB: 'kb-of-the-environment' },
  )
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.asked).toEqual(['POST kb/kb-of-the-environment', 'POST assistant/Desk'])
  expect(project.service.bodiesOf('POST assistant/Desk')).toMatchObject([
    { assistantKnowledgeBaseIds: ['kb-of-the-environment'] },
  ])
  expect(await project.recorded('kb/faq')).toMatchObject({
    body: { knowledgeBaseId: '${env:KB}' },
    env: { KB: expect.not.stringContaining('kb-of') },
  })
  expect(await project.run('apply')).toMatchObject({ exitCode: 0 })

  project.env.KB = 'another'
  const moved = await project.apply()
  expect(moved.exitCode).toBe(8)
  expect(unwrapped(moved.stdout)).toContain('have ids of the knowledge base in the lockfile')
  expect(project.service.asked).toHaveLength(2)
  expect(moved.stdout + moved.stderr).not.toContain('kb-of-the-environment')
})

test('an entry with text from the environment is sent again when that changes, and its hash is salted', async () => {
  const project = await testProject(
    { ...files, 'knowledge-bases/faq.yaml': faq.replace('answer: b', 'answer: ${env:PHONE}') },
    { PHONE: '+12025550100' },
  )
  await project.apply()
  expect(await project.read('callyard.lock.yaml')).not.toContain('2025550100')
  project.env.PHONE = '+12025550101'
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.bodiesOf('PUT kb/kb1')).toEqual([
    { faq: [{ id: 'f-B', question: 'B', answer: '+12025550101' }] },
  ])
})
