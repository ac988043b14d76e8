import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

const question = /uses, for the first time on this machine:\n +hosts +hooks\.acme\.io, tools\.acme\.io\n/
const at = '2026-01-01T00:00:00.000Z'

const assistant = {
  kind: 'assistant',
  record: {
    _id: 'a1',
    updatedAt: at,
    name: 'Desk',
    metadata: { home: 'http://127.0.0.1:9/', docs: 'https://example.com/' },
    assistantServer: { url: 'https://hooks.acme.io/calls' },
  },
}
const tool = {
  kind: 'tool',
  record: { _id: 't1', updatedAt: at, function: { name: 't' }, server: { url: 'https://tools.acme.io' } },
}
const faq = {
  kind: 'faq',
  knowledgeBaseId: 'kb',
  entries: [{ id: 'f1', question: 'Where?', answer: 'https://said.acme.io' }],
}
const files = {
  'desk.json': JSON.stringify({
    format: 'callyard-sandbox',
    version: 1,
    clock: { now: at },
    ids: 0,
    requests: 0,
    entries: [assistant, tool, faq],
  }),
  'records.ndjson': [
    { kind: 'team', version: 1, teamId: 'team', apiKey: 'key-of-this-test' },
    ...[assistant, tool, faq],
  ]
    .map(entry => `${JSON.stringify(entry)}\n`)
    .join(''),
}

function stopped() {
  return { signal: AbortSignal.abort() }
}

test.each([
  ['sandbox start --snapshot', ['start', '--in-memory', '--port', '0', '--snapshot', 'desk.json']],
  ['sandbox start --data', ['start', '--port', '0', '--data', 'records.ndjson', '--save-profile', 'p']],
  ['sandbox import', ['import', 'desk.json', '--data', 'other.ndjson']],
] as const)('%s lists the hosts of a file once on a terminal, and asks', async (_, args) => {
  const cli = await testCli(files, { env: { CALLYARD_BASE_URL: '', CALLYARD_API_KEY: '' } })
  cli.type('n')
  const refused = await cli.runWith(args[0] === 'start' ? stopped() : {}, 'sandbox', ...args)
  expect(refused).toMatchObject({ exitCode: 130, stdout: '' })
  expect(refused.stderr).toMatch(question)
  expect(refused.stderr).not.toContain('said.acme.io')
  cli.type('y', args[0] === 'import' ? 'y' : 'n')
  const agreed = await cli.runWith(args[0] === 'start' ? stopped() : {}, 'sandbox', ...args)
  expect(agreed.stderr).toMatch(question)
  expect(agreed.exitCode).toBe(0)
  const again = await cli.runWith(args[0] === 'start' ? stopped() : {}, 'sandbox', ...args)
  expect(again.stderr).not.toMatch(question)
  expect(again.exitCode).toBe(0)
})

test.each([
  [['start', '--in-memory', '--port', '0', '--snapshot', 'desk.json']],
  [['import', 'desk.json', '--data', 'records.ndjson']],
])('sandbox %j with --yes is not asked', async args => {
  const cli = await testCli(files, { env: { CALLYARD_BASE_URL: '', CALLYARD_API_KEY: '' } })
  cli.type('unasked')
  const result = await cli.runWith(args[0] === 'start' ? stopped() : {}, 'sandbox', ...args, '--yes')
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.not.stringMatching(question) })
})

test('sandbox exec --snapshot asks before the program runs', async () => {
  const cli = await testCli(files)
  cli.type('n')
  const refused = await cli.run(
    'sandbox',
    'exec',
    '--snapshot',
    'desk.json',
    '--',
    process.execPath,
    '-e',
    '0',
  )
  expect(refused).toMatchObject({ exitCode: 130, stderr: expect.stringMatching(question) })
})

test('without a terminal nothing is asked, as for projects', async () => {
  const cli = await testCli(files)
  const args = [
    'sandbox',
    'start',
    '--in-memory',
    '--port',
    '0',
    '--snapshot',
    'desk.json',
    '--json',
  ] as const
  const result = await cli.runWith(stopped(), ...args)
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.not.stringMatching(question) })
})
