import { expect, test } from 'vitest'
import type { ValueSource } from '../../../../src/cli/commands/completion/read-table.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const section = (name: string, resources: readonly string[]) => `  ${name}:
    baseUrl: https://${name}.example.com/
    salt: salt
    resources:
${resources.map(line => `      ${line}\n`).join('')}`

const files = {
  'callyard.yaml': '',
  'assistants/sales/desk.yaml': '',
  'tools/book.yaml': '',
  'callyard.lock.yaml': `version: 1
targets:
${section('europe', [
  'assistant/sales/desk: { id: a-1, body: {} }',
  'tool/book: { id: t-1, body: {} }',
  'kb/faq: { body: { knowledgeBaseId: k-1 }, entries: { e1: hash, e2: hash } }',
])}${section('asia', ['tool/book: { id: t-2, body: {} }', 'tool/gone: { id: t-3, body: {} }'])}`,
}

/** A line that ends at a value of a source. */
const lines = {
  profile: 'profile use',
  target: 'plan --target',
  adopt: 'apply --adopt',
  forget: 'apply --forget',
  assistant: 'call chat',
  'assistant-id': 'call start --assistant-id',
  tool: 'tool update',
  kb: 'faq push questions.csv --kb',
  fault: 'sandbox start --fault',
  'fault-http': 'sandbox start --fault-http',
  forward: 'webhook tail --forward',
} as const satisfies Record<ValueSource, string>

async function answerTo(
  source: ValueSource,
  word = '',
  project: Readonly<Record<string, string>> = files,
): Promise<string[]> {
  const cli = await testCli(project)
  const { exitCode, stdout, stderr } = await cli.run(
    '__complete',
    `--at=${word}`,
    '--',
    ...lines[source].split(' '),
  )
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

const complete = async (...given: Parameters<typeof answerTo>) => (await answerTo(...given)).slice(0, -1)

test.each([
  ['target', '', ['europe\thttps://europe.example.com/', 'asia\thttps://asia.example.com/']],
  ['target', 'a', ['asia\thttps://asia.example.com/']],
  ['adopt', '', ['assistant/sales/desk=', 'kb/faq=', 'tool/book=', 'tool/gone=']],
  ['adopt', 'tool/b', ['tool/book=']],
  [
    'adopt',
    'tool/gone=t',
    [
      'tool/gone=tool/book',
      'tool/gone=t-1\ttool/book in europe',
      'tool/gone=t-2\ttool/book in asia',
      'tool/gone=t-3\ttool/gone in asia',
    ],
  ],
  ['adopt', 'nothing=', []],
  ['forget', '', ['assistant/sales/desk', 'kb/faq', 'tool/book', 'tool/gone']],
  ['forget', 'tool/book=', ['tool/book=t-1\teurope', 'tool/book=t-2\tasia']],
  ['forget', 'kb/faq:', ['kb/faq:e1\teurope', 'kb/faq:e2\teurope']],
  ['assistant', '', ['sales/desk', 'a-1\tassistant/sales/desk in europe']],
  ['assistant-id', '', ['a-1\tassistant/sales/desk in europe']],
  ['tool', 'g', ['gone']],
  ['kb', '', ['faq', 'k-1\tkb/faq in europe']],
  ['fault', 'd', ['duplicate', 'delay', 'drop', 'disconnect']],
  ['fault', 'drop=0.1,d', ['drop=0.1,duplicate', 'drop=0.1,delay', 'drop=0.1,disconnect']],
  ['fault', 'delay,drop=', ['delay,drop=0.1', 'delay,drop=0.5', 'delay,drop=1']],
  ['fault-http', '', ['429', '500', 'hang', 'reset']],
  ['forward', 's', ['status-update=']],
  [
    'forward',
    'status-update=h',
    [
      'status-update=http://127.0.0.1:3000/',
      'status-update=http://localhost:3000/',
      'status-update=https://',
    ],
  ],
] as const)('offers for %s and %j', async (source, word, expected) => {
  expect(await complete(source, word)).toEqual(expected)
})

test('offers profiles by name, and targets that are only profiles so far', async () => {
  const cli = await testCli(files)
  for (const name of ['work', 'other', 'asia']) {
    await cli.runWith(
      { input: 'key' },
      'profile',
      'add',
      name,
      '--base-url',
      'https://calls.example.com',
      '--api-key-stdin',
    )
  }
  const offered = async (...line: string[]) =>
    (await cli.run('__complete', '--', ...line)).stdout.split('\n').map(each => each.split('\t')[0])
  for (const command of ['show', 'use', 'set-key', 'protect', 'unprotect', 'remove'])
    expect(await offered('profile', command), command).toEqual(['asia', 'other', 'work', ':words', ''])
  expect(await offered('plan', '--target')).toEqual(['europe', 'asia', 'other', 'work', ':words', ''])
})

test.each([
  ['adopt', 'tool/b', ':words nospace'],
  ['adopt', 'tool/gone=t-3', ':words'],
  ['forward', '', ':words nospace'],
  ['assistant', '', ':files'],
  ['target', 'nothing', ':words'],
] as const)('lists other meanings of %s and %j last', async (source, word, expected) => {
  expect((await answerTo(source, word)).at(-1)).toBe(expected)
})

test.each([
  ['schema --json kn', ['knowledge-base'], ':words'],
  ['completion ', ['bash', 'zsh', 'fish', 'powershell'], ':words'],
  ['validate --kind to', ['tool', 'tool-update'], ':words'],
  ['validate a.yaml to', [], ':files'],
  ['api GE', ['GET'], ':words'],
  ['apply ', [], ':files'],
  ['call start --overrides to', [], ':files'],
  ['call start --var a=1 --to 1 --v', ['--var'], ':words'],
  ['profile add ', [], ':words'],
  ['webhook tail --host ', [], ':words'],
  ['webhook tail --tunnel --pa', ['--path'], ':words'],
  ['tool update t1 ', [], ':files'],
  ['tool create a.yaml --profile=', [], ':words'],
  ['help webhook ta', ['tail'], ':words'],
  ['help webhook tail ', [], ':words'],
] as const)('completes %j', async (line, expected, last) => {
  const cli = await testCli(files)
  const words = line.split(' ')
  const { stdout } = await cli.run('__complete', `--at=${words.at(-1)}`, '--', ...words.slice(0, -1))
  const answer = stdout.trimEnd().split('\n')
  expect(answer.map(each => each.split('\t')[0])).toEqual([...expected, last])
})

test('puts the response into one document with --json', async () => {
  const cli = await testCli(files)
  const { stdout } = await cli.run('--json', '__complete', '--at=--fault=dr', '--', 'sandbox', 'start')
  expect(JSON.parse(stdout)).toEqual({
    offers: [{ value: '--fault=drop' }],
    alsoTakes: 'words',
    noSpace: false,
  })
})

test('outside a project, there is nothing to list', async () => {
  expect(await complete('tool', '', {})).toEqual([])
  expect(await complete('target', '', {})).toEqual([])
})

test.each([
  ['a settings file that does not pass', { ...files, 'callyard.yaml': 'baseUrl: 1\n' }, []],
  [
    'a lockfile that is damaged',
    { ...files, 'callyard.lock.yaml': '{' },
    ['tool/book', 'assistant/sales/desk'],
  ],
] as const)('%s is not an error', async (_, project, expected) => {
  expect((await complete('forget', '', project)).sort()).toEqual([...expected].sort())
})

test('does not offer what a terminal would execute', async () => {
  const hostile = `version: 1
targets:
  "eu\\nrm -rf":
    baseUrl: "https://calls.example.com/\\e]0;title\\a"
    salt: salt
    resources:
      "tool/\\e[31mred": { id: "t\\u202e1", body: {} }
      "tool/\\tbook": { id: t-2, body: {} }
  plain:
    baseUrl: "https://calls.example.com/\\e[2J"
    salt: salt
    resources: {}
`
  const project = { 'callyard.yaml': '', 'callyard.lock.yaml': hostile }
  expect(await complete('target', '', project)).toEqual(['plain'])
  expect(await complete('tool', '', project)).toEqual(['t-2'])
})

test('offers no more than a shell can list', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `tool/t${index}: { id: i${index}, body: {} }`)
  const lockfile = `version: 1\ntargets:\n${section('europe', many)}`
  expect(await complete('tool', '', { 'callyard.yaml': '', 'callyard.lock.yaml': lockfile })).toHaveLength(
    1000,
  )
})

test('is hidden from help', async () => {
  const cli = await testCli()
  expect((await cli.run('--help')).stdout).not.toContain('__complete')
  expect((await cli.run('__complete', '--at=_', '--')).stdout).toBe(':words\n')
})
