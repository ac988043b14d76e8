import { expect, test } from 'vitest'
import { starterFiles } from '../../helpers/resources.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'

const toolFile =
  'type: function\nfunction: { name: book }\nserver: { url: "https://example.com/${env:HOOK}" }\n'
const tool = { type: 'function', function: { name: 'book' } }

test('what the service did not store is told, field by field and without values', async () => {
  const files = {
    'callyard.yaml': '',
    'tools/book.yaml': toolFile,
    'assistants/desk.yaml': 'name: Desk\nidleTimeout: 20\n',
  }
  const cli = await testCli(files, { env: { HOOK: 'hunter2-and-more' } })
  cli.answer('POST', '/assistants/v1/tools', {
    json: { _id: 't1', ...tool, server: { url: 'https://example.com/old' } },
  })
  cli.answer('POST', '/assistants/v1/assistants', { json: { _id: 'a1', name: 'Desk', welcomeMessage: 'hi' } })
  const { exitCode, stdout, stderr } = await cli.run('apply', '--yes', '--json')
  expect(exitCode).toBe(0)
  expect(stderr).toContain('warning: tool t1: the service stored another value of server.url\n')
  expect(stderr).toContain('warning: assistant a1: the service did not store idleTimeout\n')
  expect(JSON.parse(stdout).notStored).toEqual(
    expect.arrayContaining([
      { kind: 'tool', id: 't1', field: 'server.url', response: 'different' },
      { kind: 'assistant', id: 'a1', field: 'idleTimeout', response: 'missing' },
    ]),
  )
  expect(stdout + stderr).not.toContain('hunter2')
})

test.each([
  ['tool create', ['tool', 'create', 'tool.yaml'], 'POST', '/assistants/v1/tools'],
  ['tool update', ['tool', 'update', 't1', 'change.yaml'], 'PATCH', '/assistants/v1/tools/t1'],
  ['assistant create', ['assistant', 'create', 'desk.yaml'], 'POST', '/assistants/v1/assistants'],
] as const)('%s has the fields in its JSON', async (_, argv, method, path) => {
  const files = {
    'tool.yaml': 'type: function\nasync: true\n',
    'change.yaml': 'async: true\n',
    'desk.yaml': 'name: Desk\nassistantMaxTokens: 100\n',
  }
  const cli = await testCli(files)
  cli.answer(method, path, { json: { _id: 't1', type: 'function', name: 'Desk', async: false } })
  const { stdout, stderr } = await cli.run(...argv, '--json')
  const [field, response] = argv[0] === 'tool' ? ['async', 'different'] : ['assistantMaxTokens', 'missing']
  expect(JSON.parse(stdout).notStored).toMatchObject([{ id: 't1', field, response }])
  expect(stderr.match(/^warning: .* the service /gm)).toHaveLength(1)
})

test('faq push tells a field once for all entries', async () => {
  const entries = ['A', 'B', 'C'].map(question => ({ question, answer: 'x', category: 'hours' }))
  const cli = await testCli({ 'faq.json': JSON.stringify({ knowledgeBaseId: 'kb1', faq: entries }) })
  for (const { question, answer } of entries)
    cli.answer('POST', '/kb/v1/knowledge-bases/kb1/faq-template', {
      json: { faq: [{ id: `id-${question}`, question, answer }] },
    })
  const { stdout, stderr } = await cli.run('faq', 'push', 'faq.json', '--batch-size', '1', '--json')
  expect(JSON.parse(stdout).notStored).toEqual([
    { kind: 'knowledge-base', id: 'kb1', field: 'category', response: 'missing', entries: 3 },
  ])
  expect(stderr.match(/did not store category of entries/g)).toHaveLength(1)
})

test('the sandbox stores everything of the starter project', async () => {
  const sandbox = await startTestSandbox()
  const cli = await testCli(starterFiles('tests'), { env: sandbox.env })
  const { exitCode, stdout, stderr } = await cli.run('apply', '--yes', '--json')
  expect({ exitCode, notStored: JSON.parse(stdout).notStored }).toEqual({ exitCode: 0, notStored: undefined })
  expect(stderr).not.toContain('the service')
})
