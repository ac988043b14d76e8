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

test.each([
  ['${tool:bok}', 'did you mean ${tool:book}?'],
  ['${tool:Book}', 'did you mean ${tool:book}?'],
  ['${tool:faq}', 'did you mean ${kb:faq}?'],
  ['${tool:something-else}', 'available: ${tool:book}, ${tool:quote}'],
])('an unknown name %s is an error at its position', async (reference, hint) => {
  const project = await testProject({
    ...deskFiles,
    'tools/quote.yaml': tool('quote'),
    'knowledge-bases/faq.yaml': 'knowledgeBaseId: kb1\nfaq: []\n',
    'assistants/night.yaml': `name: Night\nassistantToolIds:\n  - "\${tool:book}"\n  - "${reference}"\n`,
  })
  const { stderr, exitCode, stdout } = await project.run('plan', '--json')
  expect(exitCode).toBe(3)
  expect(stderr).toContain('assistants/night.yaml:4:5: error:')
  expect(stderr).toContain('tools/ has no such file')
  expect(stderr).toContain(`hint: ${hint}`)
  const { diagnostics } = JSON.parse(stdout).error
  expect(diagnostics).toContainEqual(
    expect.objectContaining({
      severity: 'error',
      file: 'assistants/night.yaml',
      path: ['assistantToolIds', 1],
      position: { line: 4, column: 5 },
    }),
  )
})

test('files that refer to each other in a circle: 3', async () => {
  const project = await testProject({
    'tools/a.yaml': tool('a', 'server: { url: "https://example.com/${tool:b}" }\n'),
    'tools/b.yaml': tool('b', 'server: { url: "https://example.com/${tool:a}" }\n'),
    'tools/own.yaml': tool('own', 'server: { url: "https://example.com/${tool:own}" }\n'),
  })
  const { stderr, exitCode } = await project.run('plan')
  expect(exitCode).toBe(3)
  expect(stderr).toContain('tools/a.yaml:3:16: error: circular reference: tool/a → tool/b → tool/a')
  expect(stderr).toContain('tools/own.yaml:3:16: error: tool/own refers to itself')
})

test('warns about unused resources, but not about a knowledge base used by its id', async () => {
  const project = await testProject({
    'tools/book.yaml': tool('book'),
    'knowledge-bases/used.yaml': 'knowledgeBaseId: kb1\nfaq: []\n',
    'knowledge-bases/spare.yaml': 'knowledgeBaseId: kb2\nfaq: []\n',
    'assistants/desk.yaml':
      'name: Desk\nassistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: [kb1]\n',
  })
  const { stderr, exitCode } = await project.run('plan')
  expect(exitCode).toBe(0)
  expect(stderr).toContain('warning: tools/book.yaml: no file refers to tool/book [unused]')
  expect(stderr).toContain('use it in an assistant: ${tool:book}')
  expect(stderr).toContain('no file refers to kb/spare')
  expect(stderr).not.toContain('kb/used')
})

test('exits with 3 for two files with the same name', async () => {
  const project = await testProject({
    'tools/book.yaml': tool('book'),
    'tools/book.json': '{"type":"function"}',
  })
  const { stderr, exitCode } = await project.run('plan')
  expect(exitCode).toBe(3)
  expect(stderr).toContain('is already tool/book')
})

test('a knowledge base without an id, and a CSV file: 3', async () => {
  const project = await testProject({
    'knowledge-bases/a.yaml': 'faq: []\n',
    'knowledge-bases/b.csv': 'question,answer\nA,a\n',
  })
  const { stderr, exitCode } = await project.run('plan')
  expect(exitCode).toBe(3)
  expect(stderr).toContain('knowledge-bases/a.yaml:1:1: error: knowledgeBaseId is missing')
  expect(stderr).toContain('knowledge-bases/b.csv: error: a CSV file cannot contain knowledgeBaseId')
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
  for (const command of [['plan'], ['apply', '--yes']]) {
    const { stderr } = await project.run(...command)
    expect(unwrapped(stderr)).toContain(
      'warning: callyard.lock.yaml: not found, but entries of knowledge-bases/faq.yaml have ids',
    )
  }
  expect((await project.run('plan')).stderr).toBe('')
})

test('entries that all have ids need no lockfile to stay unique', async () => {
  const faq = 'knowledgeBaseId: kb1\nfaq:\n  - id: f1\n    question: A\n    answer: a\n'
  const project = await testProject({ 'knowledge-bases/faq.yaml': faq })
  expect((await project.run('plan')).stderr).not.toContain('callyard.lock.yaml')
})
