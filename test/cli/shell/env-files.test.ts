import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testCli } from '../../helpers/test-cli.ts'

const path = '/assistants/v1/assistants'
const assistant = 'name: ${env:DESK}\nwelcomeMessage: ${env:GREETING:-Hi}\n'

test('${env:…} reads --env-file; the environment wins over it, and a later file over an earlier one', async () => {
  const cli = await testCli({
    'a.yaml': assistant,
    '.env': '# ours\nexport DESK="From a file"\nGREETING=one\n',
    'more.env': 'GREETING=two\n',
  })
  for (const _ of [1, 2]) cli.answer('POST', path, { json: { _id: 'a1' } })
  const argv = ['assistant', 'create', 'a.yaml', '--env-file', '.env', '--env-file', 'more.env'] as const
  expect(await cli.run(...argv)).toMatchObject({ exitCode: 0 })
  expect(await cli.runWith({ env: { DESK: 'From outside' } }, ...argv)).toMatchObject({ exitCode: 0 })
  expect(cli.requests.map(({ body }) => body)).toEqual([
    { name: 'From a file', welcomeMessage: 'two' },
    { name: 'From outside', welcomeMessage: 'two' },
  ])
})

test('reports and ignores callyard’s own variables in the file', async () => {
  const cli = await testCli({
    'a.yaml': 'name: Desk\n',
    '.env': 'CALLYARD_BASE_URL=http://127.0.0.1:1\nCALLYARD_API_KEY=other\nHTTPS_PROXY=http://127.0.0.1:1\n',
  })
  cli.answer('POST', path, { json: { _id: 'a1' } })
  const { exitCode, stderr } = await cli.run('assistant', 'create', 'a.yaml', '--env-file', '.env')
  expect(exitCode).toBe(0)
  expect(stderr).toContain('--env-file: CALLYARD_API_KEY, CALLYARD_BASE_URL ignored')
  expect(cli.requests[0]?.headers.authorization).toContain('key-of-the-test')
})

test('a file is read with a byte order mark, and a line that is no variable costs only itself', async () => {
  const cli = await testCli({
    'a.yaml': assistant,
    'b.env': '\ufeffDESK=Ada\nstray\nGREETING="two\nlines"\n',
    'c.env': Buffer.from('\ufeffGREETING=Hi\r\n', 'utf16le'),
    'd.env': Buffer.from('GREETING=caf\u00e9\n', 'latin1'),
  })
  for (const _ of [1, 2]) cli.answer('POST', path, { json: { _id: 'a1' } })
  const create = (...files: string[]) =>
    cli.run('assistant', 'create', 'a.yaml', ...files.flatMap(file => ['--env-file', file]))
  expect((await create('b.env')).stderr).toContain('b.env:2:1: warning: not NAME=value')
  await create('b.env', 'c.env')
  expect(cli.requests.map(({ body }) => body)).toEqual([
    { name: 'Ada', welcomeMessage: 'two\nlines' },
    { name: 'Ada', welcomeMessage: 'Hi' },
  ])
  const damaged = await create('d.env')
  expect(damaged).toMatchObject({ exitCode: 3 })
  expect(damaged.stderr).toContain('d.env:1:13: error: the file is not UTF-8')
  expect(damaged.stderr).toContain('hint: save it as UTF-8')
})

test.each([
  ['\ufeff\ufeffDESK=Ada\n', []],
  ['export  DESK = Ada\n', []],
  ['DESK\u00a0=\u00a0Ada\n', []],
  ['GREETING="two\nlines" # c\n\ufeffDESK=Ada\n', []],
  ['Ä=1\nDESK=Ada\n', ['b.env:1:1: warning: ${env:…} cannot refer to the name Ä']],
  [
    '1A=x\nA-B=c\nDESK=Ada\n',
    [
      'b.env:1:1: warning: ${env:…} cannot refer to the name 1A',
      'b.env:2:1: warning: ${env:…} cannot refer to the name A-B',
    ],
  ],
  ['A B=c\n=d\nDESK=Ada\n', ['b.env:1:1: warning: not NAME=value', 'b.env:2:1: warning: not NAME=value']],
  ['X="open\nDESK=Ada\n', ['b.env:1:3: warning: unterminated quote']],
  ['X="open\nY="b"\nDESK=Ada\n', ['b.env:2:4: warning: text after a closing quote']],
  [`X='a' b\nDESK=Ada\n`, ['b.env:1:6: warning: text after a closing quote']],
])('each line of %j is read, or has a finding', async (content, warnings) => {
  const cli = await testCli({ 'a.yaml': 'name: ${env:DESK}\n', 'b.env': content })
  cli.answer('POST', path, { json: { _id: 'a1' } })
  const { stderr } = await cli.run('assistant', 'create', 'a.yaml', '--env-file', 'b.env')
  expect(cli.requests[0]?.body).toEqual({ name: 'Ada' })
  expect(stderr.match(/b\.env:\d+/g) ?? []).toHaveLength(warnings.length)
  for (const warning of warnings) expect(stderr).toContain(warning)
})

test('a file that cannot be read is invalid input', async () => {
  const cli = await testCli({ 'a.yaml': 'name: Desk\n' })
  const result = await cli.run('validate', 'a.yaml', '--kind', 'assistant', '--env-file', 'none.env')
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toContain('cannot read --env-file none.env: no such file or directory')
  expect(cli.requests).toEqual([])
})

test('its variables are listed by validate, and hidden where the file is shown', async () => {
  const cli = await testCli({
    'callyard.yaml': '',
    'assistants/a.yaml': assistant,
    '.env': 'DESK=s3cret desk\n',
  })
  const listed = await cli.run('validate', '.', '--env-file', '.env', '--json')
  expect(JSON.parse(listed.stdout).access.variables).toEqual(['DESK', 'GREETING'])
  const planned = await cli.run('plan', '--env-file', '.env')
  expect(planned).toMatchObject({ exitCode: 0 })
  expect(planned.stdout + planned.stderr).not.toContain('s3cret')
})

test('plan detects a changed file as a changed variable', async () => {
  const cli = await testCli({
    'callyard.yaml': 'assistants: replace\n',
    'assistants/a.yaml': assistant,
    '.env': 'DESK=One\n',
  })
  cli.answer('POST', path, { json: { _id: 'a1' } })
  expect(await cli.run('apply', '--yes', '--env-file', '.env')).toMatchObject({ exitCode: 0 })
  for (const _ of [1, 2]) expect((await cli.run('plan', '--env-file', '.env')).stdout).toContain('Up to date')
  await writeFile(join(cli.folder, '.env'), 'DESK=Two\n')
  expect((await cli.run('plan', '--env-file', '.env')).stdout).toContain('to replace')
})
