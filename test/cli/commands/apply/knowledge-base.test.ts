import { expect, test } from 'vitest'
import { appliedProject, testProject, upToDate } from '../project/test-project.ts'

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
  expect(project.service.requestNames).toEqual(['POST kb/kb1', 'POST assistant/Desk'])
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
    stdout: expect.stringMatching(upToDate('2 resources')),
  })
})

test('sends the changed entry and reports the missing one', async () => {
  const project = await appliedProject(files)
  const [head] = withIds.split('  - id: f-B')
  await project.write('knowledge-bases/faq.yaml', (head ?? '').replace('answer: a', 'answer: new'))
  const result = await project.apply()
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Target default: 1 updated, 1 unchanged.\n' })
  expect(result.stderr).toContain('entries: 1 to update, 1 orphaned')
  expect(result.stderr).toContain('? f-B "B"')
  expect(project.service.requestNames.slice(2)).toEqual(['PUT kb/kb1'])
  expect(project.service.bodiesOf('PUT kb/kb1')).toEqual([
    { faq: [{ id: 'f-A', question: 'A', answer: 'new' }] },
  ])
  const again = await project.run('apply')
  expect(again.exitCode).toBe(0)
  expect(again.stdout).toContain('1 orphaned, 1 unchanged')
  expect(project.service.requestNames).toHaveLength(3)
})

test('a second target gets its own entries with ids in the lockfile, and the file is unchanged', async () => {
  const project = await appliedProject(files)
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
  const project = await appliedProject({ ...files, 'knowledge-bases/faq.yaml': withIds })
  expect(project.service.requestNames).toEqual(['PUT kb/kb1', 'POST assistant/Desk'])
})

test('an entry with text from the environment is sent again when that changes, and its hash is salted', async () => {
  const project = await appliedProject(
    { ...files, 'knowledge-bases/faq.yaml': faq.replace('answer: b', 'answer: ${env:PHONE}') },
    { PHONE: '+12025550100' },
  )
  expect(await project.read('callyard.lock.yaml')).not.toContain('2025550100')
  project.env.PHONE = '+12025550101'
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.bodiesOf('PUT kb/kb1')).toEqual([
    { faq: [{ id: 'f-B', question: 'B', answer: '+12025550101' }] },
  ])
})

test('an id from the environment is in no lockfile and no plan, and a new one blocks what refers to it', async () => {
  const project = await appliedProject(
    {
      ...files,
      'callyard.yaml': 'assistants: replace\n',
      'knowledge-bases/faq.yaml': faq.replace('kb1', '"${env:KB}"'),
    },
    { KB: 'kb-of-production' },
  )
  expect(project.service.requestNames).toEqual(['POST kb/kb-of-production', 'POST assistant/Desk'])
  expect(project.service.bodiesOf('POST assistant/Desk')).toMatchObject([
    { assistantKnowledgeBaseIds: ['kb-of-production'] },
  ])
  expect(await project.read('callyard.lock.yaml')).not.toContain('kb-of-')
  expect((await project.run('apply')).stdout).toContain('Up to date')

  project.env.KB = 'kb-of-staging'
  const plan = await project.run('plan', '--json')
  expect(JSON.parse(plan.stdout).actions).toMatchObject([
    { address: 'kb/faq', action: 'blocked' },
    { changes: [{ notes: ['${kb:faq} is now another knowledge base'] }] },
  ])
  const moved = await project.apply('--json')
  expect(moved.exitCode).toBe(8)
  expect(JSON.parse(moved.stdout)).toMatchObject({
    blocked: [
      {
        address: 'kb/faq',
        reason: expect.stringContaining('have ids of the knowledge base in the lockfile'),
      },
    ],
    skipped: [{ address: 'assistant/desk', reason: 'it needs kb/faq, which is blocked' }],
  })
  for (const { stdout, stderr } of [plan, moved]) expect(stdout + stderr).not.toContain('kb-of-')
  expect(project.service.requestNames).toHaveLength(2)
})

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
  expect(project.service.requestNames).toEqual(['POST kb/kb1'])
  expect(await project.apply('--forget', 'kb/faq')).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames).toEqual(['POST kb/kb1', 'POST kb/kb1', 'POST assistant/Desk'])
  expect(await project.read('knowledge-bases/faq.yaml')).toBe(withIds)
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

test('finds an entry that cannot store its id before sending anything', async () => {
  const project = await testProject({
    ...files,
    'knowledge-bases/faq.yaml':
      'knowledgeBaseId: kb1\nfaq:\n  - { question: A, answer: a }\n  - { question: B, answer: b, id: &none null }\n',
  })
  for (const command of [['plan'], ['apply', '--yes']]) {
    const result = await project.run(...command)
    expect(result.exitCode).toBe(3)
    expect(result.stderr).toMatch(/knowledge-bases\/faq\.yaml:4:5: error: .*\[no-place-for-id\]/)
  }
  expect(project.service.requestNames).toEqual([])
})

test('plan warns about a running apply, while apply holds the project’s lock', async () => {
  const project = await appliedProject(files)
  const lockfile = await project.read('callyard.lock.yaml')
  await project.write(
    'callyard.lock.yaml',
    `${lockfile.replace('serial: 1', 'serial: 2')}      tool/gone:\n        creating: { body: { type: function } }\n        body: {}\n`,
  )
  const plan = await project.run('plan')
  expect(plan).toMatchObject({ exitCode: 9, stdout: '' })
  expect(plan.stderr).toContain('an apply is running, or the outcome of an earlier apply is unknown')
  const apply = await project.apply()
  expect(apply.exitCode).toBe(9)
  expect(apply.stderr).toContain('error: the outcome of an earlier apply is unknown')
})
