import { describe, expect, test } from 'vitest'
import { commandSchema, commandSchemaNames } from '../../../../src/cli/commands/command-schemas.ts'
import { getCommandPath, leafCommands } from '../../../../src/cli/commands/help/command-help.ts'
import { checkResult } from '../../../helpers/check-result.ts'
import { strictAjv } from '../../../helpers/strict-ajv.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { buildTree } from '../help/tree.ts'

const root = await buildTree()
const names = commandSchemaNames(root)

test('every command has an input, and all but sandbox exec and mcp, whose stdout others read, a result', () => {
  const commands = leafCommands(root).map(command => getCommandPath(command).split(' ').slice(1).join('-'))
  expect(names).toEqual([
    'result:error',
    ...commands.filter(name => !['sandbox-exec', 'mcp'].includes(name)).map(name => `result:${name}`),
    ...commands.map(name => `input:${name}`),
  ])
})

const ajv = strictAjv({ strictTypes: false, strictRequired: false })

describe.each(names)('%s', name => {
  test('is a JSON Schema with a title and description', async () => {
    const schema = await commandSchema(name, root)
    expect(schema).toMatchObject({ $id: `urn:callyard:schema:${name}`, title: expect.any(String) })
    expect(ajv.compile(schema)).toBeTypeOf('function')
  })
})

test('schema result:… prints it, the same with --json', async () => {
  const cli = await testCli()
  const { stdout } = await cli.run('schema', 'result:call-start')
  const schema = JSON.parse(stdout)
  expect(schema.anyOf.map(({ title }: { title: string }) => title)).toEqual([
    'The document of callyard call start --json',
    'Each line of callyard call start --json',
  ])
  expect((await cli.run('schema', 'result:call-start', '--json')).stdout).toBe(stdout)
})

test('an input has the arguments and flags of the command, with their types', async () => {
  const cli = await testCli()
  const { stdout } = await cli.run('schema', 'input:faq-ask')
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'object',
    required: ['question'],
    additionalProperties: false,
    properties: {
      question: { type: 'string' },
      knowledgeBases: { type: 'array', items: { type: 'string' } },
      limit: { type: 'integer', minimum: 1, maximum: 1000 },
      allowUnknown: { type: 'boolean' },
      timeout: { type: 'string', examples: ['500ms', '30s', '2m'] },
    },
  })
  const connect = JSON.parse((await cli.run('schema', 'input:call-connect')).stdout)
  expect(connect.properties).toMatchObject({
    direction: { enum: ['inbound', 'outbound'], default: 'outbound' },
    metadata: { type: 'array' },
    tunnel: { anyOf: [{ const: true }, { type: 'string' }] },
  })
})

test.each([
  ['result:call-strat', 'did you mean result:call-start?'],
  ['input:nothing-like-it', 'callyard schema result:call-start'],
])('%s is a usage error with a suggestion', async (name, hint) => {
  const cli = await testCli()
  const { exitCode, stdout, stderr } = await cli.run('schema', name)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(`schema ${name} not found`)
  expect(stderr).toContain(hint)
})

test.each([
  ['a field that the schema does not have', ['version', '--json'], '{ "version": "1.0.0", "build": 7 }\n'],
  ['a field of another type', ['profile', 'use', 'work', '--json'], '{ "name": "work", "inUse": "yes" }\n'],
  [
    'an event of an unknown kind',
    ['webhook', 'tail', '--json'],
    '{"kind":"ready","url":"/"}\n{"kind":"odd"}\n',
  ],
])('tests refuse %s', async (_, argv, stdout) => {
  await expect(checkResult(argv, stdout)).rejects.toThrow('is not what its schema says')
})
