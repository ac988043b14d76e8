import { expect, test } from 'vitest'
import { jsonSchema } from '../../../src/interface/json-schema.ts'
import { openApi } from '../../../src/interface/openapi.ts'
import { kindNames } from '../../../src/interface/words.ts'
import { testCli } from '../../helpers/test-cli.ts'

test.each(kindNames)('schema %s prints its JSON Schema, the same with --json', async kind => {
  const cli = await testCli()
  const plain = await cli.run('schema', kind)
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(plain.stdout)).toEqual(jsonSchema(kind))
  expect((await cli.run('schema', kind, '--json')).stdout).toBe(plain.stdout)
})

test('the words of the project file are in it', async () => {
  const cli = await testCli({ 'callwright.yaml': 'vocabulary:\n  <provider_1>: acme\n' })
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

test('schema openapi prints the document of the service, with the words of the project file', async () => {
  const cli = await testCli({ 'callwright.yaml': 'vocabulary:\n  <provider_1>: acme\n' })
  const plain = await cli.run('schema', 'openapi')
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(plain.stdout)).toEqual(openApi({ vocabulary: { '<provider_1>': 'acme' } }))
  expect((await cli.run('schema', 'openapi', '--json')).stdout).toBe(plain.stdout)
})
