import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { callEvents, type Said } from '../../../helpers/events.ts'
import { recordingFile } from '../../../helpers/recordings.ts'
import { starterFiles } from '../../../helpers/resources.ts'
import { shellPipe } from '../../../helpers/shell-pipe.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const said: Said[] = [
  ['assistant', 'Hello Ada, this is the AI front desk of Spoke and Chain. How can I help?'],
  ['user', 'When are you open?'],
  ['assistant', 'We are open Monday to Friday from nine to six, and on Saturday until one.'],
  ['user', 'Goodbye'],
  ['assistant', 'Thank you for calling. Goodbye!'],
]
const assistant = { name: 'Front desk' }
const call = (id: string) => callEvents({ id, said, assistant, end: { callEndTriggerBy: 'assistant' } })
const one = recordingFile(...call('CC-one'))
const two = recordingFile(...call('CC-one'), ...call('CC-two'))

const project = (files: Readonly<Record<string, string>>) => testCli({ ...starterFiles(), ...files })

test('the only call of a recording is printed as a test that passes, and that passes with all that it proposes', async () => {
  const cli = await project({ 'calls.ndjson': one })
  for (const flags of [[], ['--expect', 'all']]) {
    const { stdout, exitCode } = await cli.run('test', 'record', 'calls.ndjson', ...flags)
    expect(exitCode).toBe(0)
    expect(parse(stdout)).toMatchObject({ assistant: 'front-desk', variables: { name: 'Ada' } })
    const again = await project({ 'tests/made.test.yaml': stdout })
    expect(await again.run('test', 'tests/made.test.yaml')).toMatchObject({ exitCode: 0 })
  }
})

test('on a CI runner, a printed draft contains no workflow commands and the same values', async () => {
  const hostile = '##vso[task.complete]\n::error::x ##teamcity[x]'
  const lines: Said[] = [
    ['assistant', 'Hello'],
    ['user', hostile],
    ['assistant', `You said ${hostile}`],
    ['user', 'Goodbye'],
  ]
  const cli = await project({
    'calls.ndjson': recordingFile(...callEvents({ id: 'CC-one', said: lines, assistant, end: {} })),
  })
  const plain = (await cli.run('test', 'record', 'calls.ndjson', '--expect', 'all')).stdout
  for (const env of [{ GITHUB_ACTIONS: 'true' }, { TF_BUILD: 'True' }, { TEAMCITY_VERSION: '2026.1' }]) {
    const { stdout } = await cli.runWith({ env }, 'test', 'record', 'calls.ndjson', '--expect', 'all')
    expect(stdout).not.toMatch(/##(vso|teamcity)?\[/)
    if ('GITHUB_ACTIONS' in env) expect(stdout).not.toMatch(/^\s*::/m)
    expect(parse(stdout)).toEqual(parse(plain))
  }
  expect(JSON.stringify(parse(plain))).toContain('##vso[task.complete]')
})

test('prompts for one of several calls, listed with time, duration and first line', async () => {
  const cli = await project({ 'calls.ndjson': two })
  const { exitCode, stdout, stderr } = await cli.run('test', 'record', 'calls.ndjson')
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toMatch(/CC-one +2026-01-01T09:00:00\.000Z +0:25 +When are you open\?/)
  expect(stderr).toContain('--call')
  const json = JSON.parse((await cli.run('test', 'record', 'calls.ndjson', '--json')).stdout)
  expect(json.error.calls).toMatchObject([{ callId: 'CC-one', length: '0:25' }, { callId: 'CC-two' }])
  expect(await cli.run('test', 'record', 'calls.ndjson', '--call', 'CC-t')).toMatchObject({ exitCode: 0 })
  expect(await cli.run('test', 'record', 'calls.ndjson', '--call', 'CC-x')).toMatchObject({ exitCode: 2 })
})

test.each([['--last'], ['--call', 'CC-two']])(
  '%s chooses a call of a pipe of the shell',
  async (...flags) => {
    const cli = await project({})
    const { exitCode, stdout } = await cli.run('test', 'record', await shellPipe(two), ...flags)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('# Created from call CC-two.')
  },
)

test('a file is written with its folder, and not over another one without --force', async () => {
  const cli = await project({ 'calls.ndjson': one })
  const argv = ['test', 'record', 'calls.ndjson', '--out', 'tests/new/hours.test.yaml'] as const
  expect(await cli.run(...argv)).toMatchObject({ exitCode: 0 })
  const written = await cli.read('tests/new/hours.test.yaml')
  expect(written).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/\.\.\/schemas\/test\.schema\.json\n# Created from call CC-one\./,
  )
  expect(await cli.run(...argv, '--expect', 'all')).toMatchObject({ exitCode: 2 })
  expect(await cli.read('tests/new/hours.test.yaml')).toBe(written)
  expect(await cli.run(...argv, '--expect', 'all', '--force')).toMatchObject({ exitCode: 0 })
  expect(await cli.read('tests/new/hours.test.yaml')).not.toBe(written)
})

test('writes several calls to files in a folder, named after the caller’s first words', async () => {
  const cli = await project({ 'calls.ndjson': two })
  const argv = ['test', 'record', 'calls.ndjson', '--call', 'CC-one', '--call', 'CC-two', '--redact'] as const
  for (const out of [[], ['--out', 'made.yaml']])
    expect(await cli.run(...argv, ...out)).toMatchObject({ exitCode: 2 })
  const { stdout } = await cli.run(...argv, '--out', 'made', '--json')
  expect(JSON.parse(stdout).tests).toMatchObject([
    { callId: 'CC-one', file: 'made/when-are-you-open.test.yaml', turns: 3, expectations: 1, proposed: 4 },
    { callId: 'CC-two', file: 'made/when-are-you-open-2.test.yaml' },
  ])
  expect(await cli.read('made/when-are-you-open.test.yaml')).not.toMatch(/CC-one|Ada/)
})

test('--out before the verb is that of test', async () => {
  const cli = await project({ 'calls.ndjson': one })
  const { exitCode, stderr } = await cli.run('test', '--out', 'a.xml', 'record', 'calls.ndjson')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('--out before record is a flag of test')
  expect(stderr).toContain('put it after test record')
})

test('asks at a terminal what the test expects, and omits the rest', async () => {
  const cli = await project({ 'calls.ndjson': one })
  cli.type('nine to six | ends')
  const { stdout } = await cli.run('test', 'record', 'calls.ndjson')
  expect(parse(stdout).turns).toEqual([
    { user: 'When are you open?', expect: { says: 'open Monday to Friday from nine to six' } },
    { user: 'Goodbye', expect: { ends: 'assistant' } },
  ])
  expect(stdout).not.toContain('# says')
})

test('reads a recording from stdin too', async () => {
  const cli = await project({})
  const { exitCode, stdout } = await cli.runWith({ input: one }, 'test', 'record', '-', '--last')
  expect({ exitCode, turns: parse(stdout).turns.length }).toEqual({ exitCode: 0, turns: 2 })
  expect(await cli.runWith({ input: 'no recording\n' }, 'test', 'record', '-')).toMatchObject({ exitCode: 3 })
})

test('rejects a call without messages and flags without effect', async () => {
  const cli = await project({ 'calls.ndjson': recordingFile(...callEvents({ said: [] })) })
  expect(await cli.run('test', 'record', 'calls.ndjson')).toMatchObject({ exitCode: 3, stdout: '' })
  for (const flags of [['--force'], ['--call', 'x', '--last'], ['--expect', 'nothing']])
    expect(await cli.run('test', 'record', 'calls.ndjson', ...flags)).toMatchObject({ exitCode: 2 })
})

test('outside a project, reports what is unknown, in the test too', async () => {
  const cli = await testCli({ 'calls.ndjson': one })
  const { stdout, stderr } = await cli.run('test', 'record', 'calls.ndjson')
  expect(stdout).toContain('# The assistant of the call is not in this project: "Front desk"')
  expect(stderr).toContain('assistant: front-desk')
})

test('a file has a modeline only where its project has the schema', async () => {
  const cli = await testCli({ 'callyard.yaml': '', 'calls.ndjson': one })
  await cli.run('test', 'record', 'calls.ndjson', '--out', 'hours.test.yaml')
  expect(await cli.read('hours.test.yaml')).toMatch(/^# Created from/)
})
