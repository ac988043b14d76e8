import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jsonSchema } from '../../../../src/files/formats/file-schema.ts'
import { openApi } from '../../../../src/interface/openapi.ts'
import { kindNames } from '../../../../src/interface/words.ts'
import { testCli } from '../../../helpers/test-cli.ts'

test.each(kindNames)('schema %s prints its JSON Schema, the same with --json', async kind => {
  const cli = await testCli()
  const plain = await cli.run('schema', kind)
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(plain.stdout)).toEqual(jsonSchema(kind))
  expect((await cli.run('schema', kind, '--json')).stdout).toBe(plain.stdout)
})

test('contains the vocabulary of the project file', async () => {
  const cli = await testCli({ 'callyard.yaml': 'vocabulary:\n  <provider_1>: acme\n' })
  const { stdout } = await cli.run('schema', 'assistant')
  expect(JSON.parse(stdout)).toMatchObject({
    properties: {
      assistantProvider: {
        anyOf: expect.arrayContaining([
          expect.objectContaining({ enum: expect.arrayContaining(['acme', '<provider_1>']) }),
        ]),
      },
    },
  })
})

test('an unknown kind is a usage error that lists the kinds', async () => {
  const cli = await testCli()
  const result = await cli.run('schema', 'assistent')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  for (const kind of kindNames) expect(result.stderr).toContain(kind)
})

test('schema openapi prints the service’s document with the project’s vocabulary', async () => {
  const cli = await testCli({ 'callyard.yaml': 'vocabulary:\n  <provider_1>: acme\n' })
  const plain = await cli.run('schema', 'openapi')
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(plain.stdout)).toEqual(openApi({ vocabulary: { '<provider_1>': 'acme' } }))
  expect((await cli.run('schema', 'openapi', '--json')).stdout).toBe(plain.stdout)
})

test('--write updates the project’s schemas with its vocabulary and keeps current ones', async () => {
  const cli = await testCli()
  await cli.run('init')
  await writeFile(join(cli.folder, 'callyard.yaml'), 'vocabulary:\n  <provider_1>: acme\n')
  const stale = await cli.run('validate', '.')
  expect(stale).toMatchObject({ exitCode: 0 })
  expect(stale.stdout).toContain('schemas/assistant.schema.json: warning: the schema is out of date')
  const first = await cli.runWith({ cwd: join(cli.folder, 'tests') }, 'schema', '--write', '--json')
  expect(JSON.parse(first.stdout).written).toContain('schemas/assistant.schema.json')
  expect(JSON.parse(first.stdout).unchanged).toContain('schemas/knowledge-base.schema.json')
  expect(await cli.read('schemas/assistant.schema.json')).toBe((await cli.run('schema', 'assistant')).stdout)
  expect(await cli.run('schema', '--write')).toEqual({
    exitCode: 0,
    stdout: '8 schemas up to date\n',
    stderr: '',
  })
  expect((await cli.run('validate', '.')).stdout).toContain('no warnings')
})

test('--write with a kind writes only that schema, even if schemas/ is missing', async () => {
  const cli = await testCli({ 'callyard.yaml': '' })
  const { stdout } = await cli.run('schema', 'tool', '--write')
  expect(stdout).toBe('Wrote schemas/tool.schema.json\n')
  expect(await readdir(join(cli.folder, 'schemas'))).toEqual(['tool.schema.json'])
})

test.each([
  [['schema'], '<kind> is missing'],
  [['schema', '--write'], 'not in a project'],
  [['schema', 'call-start', '--write'], 'a project has no call-start files'],
])('%j is a usage error that says what is missing', async (argv, message) => {
  const cli = await testCli()
  const { exitCode, stdout, stderr } = await cli.run(...argv)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
})
