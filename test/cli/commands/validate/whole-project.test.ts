import { describe, expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'
import { assistant, tool } from '../project/test-project.ts'

const offline = { CALLYARD_API_KEY: undefined, CALLYARD_BASE_URL: undefined }
const kb = 'knowledgeBaseId: kb1\nfaq:\n  - { question: q, answer: a }\n'
const desk = { 'callyard.yaml': '', 'assistants/desk.yaml': assistant('Desk', ['book']) }

const cases: readonly (readonly [string, string, Readonly<Record<string, string>>, number])[] = [
  [
    'a circle',
    'circle',
    { 'tools/book.yaml': tool('book', 'server: { url: "https://example.com/${assistant:desk}" }\n') },
    3,
  ],
  [
    'a tool that nothing uses',
    'unused',
    { 'tools/book.yaml': tool('book'), 'tools/old.yaml': tool('old') },
    0,
  ],
  [
    'a knowledge base without knowledgeBaseId',
    'missing',
    { 'tools/book.yaml': tool('book'), 'knowledge-bases/faq.yaml': kb.replace('knowledgeBaseId: kb1\n', '') },
    3,
  ],
  [
    'two files of one name',
    'duplicate',
    { 'tools/book.yaml': tool('book'), 'tools/book.json': '{"type":"function"}' },
    3,
  ],
  [
    'two files for one knowledge base',
    'shared-knowledge-base',
    { 'tools/book.yaml': tool('book'), 'knowledge-bases/a.yaml': kb, 'knowledge-bases/b.yaml': kb },
    0,
  ],
]

describe.each(cases)('%s', (_, code, files, exitCode) => {
  const codesOf = (stdout: string): string[] => {
    const { diagnostics = [], error } = JSON.parse(stdout)
    return (error?.diagnostics ?? diagnostics).map((diagnostic: { code: string }) => diagnostic.code)
  }

  test('is found in the whole project, without key or lockfile, as plan finds it', async () => {
    const cli = await testCli({ ...desk, ...files }, { env: offline })
    const result = await cli.run('validate', '.', '--json')
    expect(result.exitCode).toBe(exitCode)
    expect(codesOf(result.stdout)).toContain(code)
    const plan = await cli.run('plan')
    expect(plan.exitCode).toBe(exitCode)
    expect(plan.stderr).toContain(`[${code}]`)
  })

  test('is found in a parent folder, but not for files given by path', async () => {
    const inside = Object.entries({ ...desk, ...files }).map(([name, text]) => [`desk/${name}`, text])
    const cli = await testCli(Object.fromEntries(inside), { env: offline })
    expect(codesOf((await cli.run('validate', '.', '--json')).stdout)).toContain(code)
    for (const [name = ''] of inside)
      expect(codesOf((await cli.run('validate', name, '--json')).stdout)).not.toContain(code)
  })
})

test('an error in a file is reported once', async () => {
  const cli = await testCli(
    { ...desk, 'tools/book.yaml': 'type: function\nasync: maybe\n' },
    { env: offline },
  )
  const { stdout, exitCode } = await cli.run('validate', '.')
  expect(exitCode).toBe(3)
  expect(stdout.match(/\[wrong-type\]/g)).toHaveLength(1)
  expect(stdout).toContain('3 files checked, 1 error, no warnings')
})
