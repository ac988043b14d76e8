import { expect, test } from 'vitest'
import { testProject } from '../project/test-project.ts'

const faq = 'knowledgeBaseId: ${env:KB}\nfaq:\n  - question: A\n    answer: a\n'
const desk = `name: Desk
assistantPredefinedTools: { knowledgeBase: true }
assistantKnowledgeBaseIds: ["\${kb:faq}"]
`
const files = {
  'callyard.yaml': 'assistants: replace\n',
  'knowledge-bases/faq.yaml': faq,
  'assistants/desk.yaml': desk,
}

test('sends an id from the environment without storing it in the lockfile or a plan', async () => {
  const project = await testProject(files, { KB: 'kb-of-production' })
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.asked[0]).toBe('POST kb/kb-of-production')
  expect(project.service.bodiesOf('POST assistant/Desk')).toMatchObject([
    { assistantKnowledgeBaseIds: ['kb-of-production'] },
  ])
  expect(await project.read('callyard.lock.yaml')).not.toContain('kb-of-production')
  expect(await project.run('apply')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Up to date'),
  })

  project.env.KB = 'kb-of-staging'
  const plan = await project.run('plan', '--json')
  expect(plan.stdout + plan.stderr).not.toMatch(/kb-of-/)
  expect(JSON.parse(plan.stdout).actions).toMatchObject([
    { address: 'kb/faq', action: 'blocked' },
    { changes: [{ notes: ['${kb:faq} is now another knowledge base'] }] },
  ])
})

test('does not send what refers to a blocked knowledge base, which would lack the entries', async () => {
  const project = await testProject(files, { KB: 'one' })
  await project.apply()
  project.env.KB = 'other'
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(8)
  expect(JSON.parse(result.stdout)).toMatchObject({
    blocked: [{ address: 'kb/faq' }],
    skipped: [{ address: 'assistant/desk', reason: 'it needs kb/faq, which is blocked' }],
  })
  expect(project.service.asked).toHaveLength(2)
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
  expect(project.service.asked).toEqual([])
})

test('ids that a killed apply had no time to write into the file are written, not asked for again', async () => {
  const project = await testProject(files, { KB: 'kb1' })
  await project.apply()
  // State between the response and the write of the file.
  const withId = await project.read('knowledge-bases/faq.yaml')
  const lockfile = await project.read('callyard.lock.yaml')
  const [, id = '', hash = ''] = /entries:\n\s+(\S+): (\S+)/.exec(lockfile) ?? []
  await project.write('knowledge-bases/faq.yaml', faq)
  await project.write(
    'callyard.lock.yaml',
    lockfile.replace(
      /entries:\n.*\n/,
      `pending:\n          - { line: 3, question: q, content: ${hash}, id: ${id} }\n`,
    ),
  )
  const plan = JSON.parse((await project.run('plan', '--json')).stdout)
  expect(plan.actions[0]).toMatchObject({ address: 'kb/faq', action: 'update', entries: [] })
  const before = project.service.asked.length
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.asked).toHaveLength(before)
  expect(await project.read('knowledge-bases/faq.yaml')).toBe(withId)
  expect(await project.read('callyard.lock.yaml')).toBe(lockfile)
})

test('plan warns about a running apply, while apply holds the project’s lock', async () => {
  const project = await testProject(files, { KB: 'kb1' })
  await project.apply()
  const lockfile = await project.read('callyard.lock.yaml')
  await project.write(
    'callyard.lock.yaml',
    `${lockfile}      tool/gone:\n        creating: { body: { type: function } }\n        body: {}\n`,
  )
  const plan = await project.run('plan')
  expect(plan).toMatchObject({ exitCode: 9, stdout: '' })
  expect(plan.stderr).toContain('an apply is running, or the outcome of an earlier apply is unknown')
  const apply = await project.apply()
  expect(apply.exitCode).toBe(9)
  expect(apply.stderr).toContain('error: the outcome of an earlier apply is unknown')
})
