import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assistant, deskFiles, testProject, tool, unwrapped } from '../project/test-project.ts'

test('every finding of every file: 3, with file, line and column', async () => {
  const project = await testProject({
    ...deskFiles,
    'assistants/a.yaml': assistant('A', [], 'idleTimeout: 3\nasistantModel: x\n'),
    'tools/b.yaml': 'type: function\nasync: maybe\n',
  })
  const result = await project.run('plan')
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toContain('assistants/a.yaml:2:14: error: idleTimeout is 3')
  expect(result.stderr).toContain('assistants/a.yaml:3:1: error:')
  expect(result.stderr).toContain('tools/b.yaml:2:8: error:')
  expect(result.stderr).toContain('3 errors in 2 files; nothing was sent')
})

test('a missing variable is an error at its position; --allow-unknown allows unknown fields', async () => {
  const project = await testProject({ 'tools/book.yaml': tool('book', 'server: { url: "${env:URL}" }\n') })
  const { stderr, exitCode } = await project.run('plan')
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/tools\/book\.yaml:3:16: error: .*URL/)
  await project.write('tools/book.yaml', tool('book', 'since: 2026\n'))
  expect((await project.run('plan')).exitCode).toBe(3)
  expect((await project.run('plan', '--allow-unknown')).exitCode).toBe(0)
})

test('plan and apply warn about a missing lockfile while entries have ids', async () => {
  const faq = (id: string) => `knowledgeBaseId: kb1\nfaq:\n  - question: A\n    answer: a\n${id}`
  const desk =
    'name: Desk\nassistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: ["${kb:faq}"]\n'
  const project = await testProject({ 'knowledge-bases/faq.yaml': faq(''), 'assistants/desk.yaml': desk })
  expect((await project.run('plan')).stderr).toBe('')
  await project.apply()
  await project.remove('callyard.lock.yaml')
  // A machine that remembers the apply rejects both.
  project.env.CALLYARD_CONFIG_DIR = join(project.folder, 'other-machine')
  for (const command of [['plan'], ['apply', '--yes']]) {
    const { stderr } = await project.run(...command)
    expect(unwrapped(stderr)).toContain(
      'callyard.lock.yaml: warning: not found, but entries of knowledge-bases/faq.yaml have ids',
    )
  }
  expect((await project.run('plan')).stderr).toBe('')
})

test('entries that all have ids need no lockfile to stay unique', async () => {
  const faq = 'knowledgeBaseId: kb1\nfaq:\n  - id: f1\n    question: A\n    answer: a\n'
  const project = await testProject({ 'knowledge-bases/faq.yaml': faq })
  expect((await project.run('plan')).stderr).not.toContain('callyard.lock.yaml')
})
