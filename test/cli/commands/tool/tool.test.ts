import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

test('creates a tool with exactly what the file says', async () => {
  const cli = await testCli({ 'tool.yaml': 'type: function\nfunction:\n  name: book\n' })
  cli.answer('POST', '/assistants/v1/tools', {
    json: { _id: 't1', type: 'function', async: false, later: 1 },
  })
  const result = await cli.run('tool', 'create', 'tool.yaml')
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Created tool t1\n' })
  expect(cli.requests).toMatchObject([
    {
      headers: { authorization: 'Bearer key-of-the-test' },
      body: { type: 'function', function: { name: 'book' } },
    },
  ])
})

test('--allow-unknown sends unknown fields unchanged, and --json prints those of the response', async () => {
  const cli = await testCli({ 'tool.yaml': 'type: function\nsince: 2026\n' })
  cli.answer('POST', '/assistants/v1/tools', { json: { _id: 't1', later: 1 } })
  const { stdout, stderr } = await cli.run('tool', 'create', 'tool.yaml', '--allow-unknown', '--json')
  expect(cli.requests[0]?.body).toEqual({ type: 'function', since: 2026 })
  expect(JSON.parse(stdout)).toEqual({ _id: 't1', later: 1 })
  expect(stderr).toBe('')
})

test('updates only what the file holds', async () => {
  const cli = await testCli({ 'tool.yaml': 'async: true\n' })
  cli.answer('PATCH', '/assistants/v1/tools/a%2Fb', { json: { _id: 'a/b' } })
  expect(await cli.run('tool', 'update', 'a/b', 'tool.yaml')).toMatchObject({
    exitCode: 0,
    stdout: 'Updated tool a/b\n',
  })
  expect(cli.requests[0]?.body).toEqual({ async: true })
})

test.each([
  ['a bad field', 'async: maybe\n', 'tool.yaml:1:8', /async/],
  ['a type', 'type: function\nasync: true\n', 'tool.yaml:1:1', /type.*(not part|cannot be changed)/],
])('reports the line of %s in an update, and sends nothing', async (_, text, position, words) => {
  const cli = await testCli({ 'tool.yaml': text })
  const result = await cli.run('tool', 'update', 't1', 'tool.yaml')
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toContain(position)
  expect(result.stderr).toMatch(words)
  expect(cli.requests).toEqual([])
})

test('a secret of the file that the service says back is not shown', async () => {
  const files = { 'tool.yaml': 'type: function\nserver: { url: "https://x.example.com/${env:HOOK}" }\n' }
  const cli = await testCli(files, { env: { HOOK: 'hunter2-and-more' } })
  cli.answer('POST', '/assistants/v1/tools', {
    status: 422,
    json: { message: 'https://x.example.com/hunter2-and-more cannot be reached' },
  })
  const result = await cli.run('tool', 'create', 'tool.yaml', '--debug', '--json')
  expect(result.exitCode).toBe(5)
  expect(result.stderr).toContain('https://x.example.com/**** cannot be reached')
  expect(result.stdout + result.stderr).not.toContain('hunter2')
})
