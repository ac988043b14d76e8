import { expect, test } from 'vitest'
import { testCli } from '../../helpers/test-cli.ts'

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test.each([101, 20_000, 200_000])('prints a response of %i levels completely', async levels => {
  const cli = await testCli({ 'tool.yaml': 'type: function\n' })
  const body = `{"_id":"id-1","odd":${deep(levels)}}`
  cli.answer('POST', '/assistants/v1/tools', { body })
  const created = await cli.run('tool', 'create', 'tool.yaml', '--json')
  expect(created.exitCode, created.stderr).toBe(0)
  expect(created.stdout.trim()).toBe(body)
  cli.answer('GET', '/x', { body })
  expect((await cli.run('api', 'GET', '/x', '--json')).stdout.trim()).toBe(body)
})

test('sends a deeply nested body unchanged', async () => {
  const cli = await testCli({ 'data.json': deep(5_000) })
  cli.answer('POST', '/x', { json: {} })
  expect(await cli.run('api', 'POST', '/x', '--body', '@data.json')).toMatchObject({ exitCode: 0 })
  expect(cli.requests).toHaveLength(1)
})

test('rejects files and metadata that nest too deep with a document', async () => {
  const cli = await testCli({
    'tool.json': `{"type":"function","function":${deep(100_000)}}`,
    'tool.yaml': `type: function\nfunction: ${deep(100_000)}\n`,
  })
  for (const file of ['tool.json', 'tool.yaml']) {
    const { exitCode, stdout } = await cli.run('validate', file, '--kind', 'tool', '--json')
    expect(exitCode).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ diagnostics: [{ code: 'too-deep' }] })
  }
  const numbers = ['--from', '+12025550100', '--to', '+12025550123']
  const call = await cli.run(
    'call',
    'start',
    '--yes',
    ...numbers,
    '--metadata',
    `x=${deep(60_000)}`,
    '--json',
  )
  expect(call.exitCode).toBe(2)
  expect(JSON.parse(call.stdout).error.message).toContain('nested deeper than 100 levels')
  expect(cli.requests).toEqual([])
})
