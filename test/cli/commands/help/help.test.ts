import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../../../src/cli/shell/exit-codes.ts'
import { testCli } from '../../../helpers/test-cli.ts'

test('help exit-codes lists every exit code', async () => {
  const cli = await testCli()
  const { stdout, exitCode } = await cli.run('help', 'exit-codes')
  expect(exitCode).toBe(0)
  for (const code of Object.values(exitCodes)) expect(stdout).toMatch(new RegExp(`^ +${code} {2}`, 'm'))
})

test('help environment describes every variable that callyard reads', async () => {
  const cli = await testCli()
  const { stdout } = await cli.run('help', 'environment')
  for (const name of [
    'CALLYARD_PROFILE',
    'CALLYARD_BASE_URL',
    'CALLYARD_API_KEY',
    'CALLYARD_CONFIG_DIR',
    'NO_COLOR',
    'HTTPS_PROXY',
  ]) {
    expect(stdout).toContain(name)
  }
})

test('help finds a command of two words', async () => {
  const cli = await testCli()
  const { stdout } = await cli.run('help', 'tool', 'update')
  expect(stdout).toContain('callyard tool update <id> <file> [flags]')
})

test('help with a word lists first what it names, then what mentions it', async () => {
  const cli = await testCli()
  const { stdout } = await cli.run('help', 'opt-out')
  const [first, ...others] = stdout.trimEnd().split('\n')
  expect(first).toMatch(/^docs\/batch-calls\.md +Batch calls: Opting out$/)
  expect(others.join('\n')).toContain('callyard help call start')
})

test.each([
  ['opt', 'out'],
  ['do', 'not', 'call'],
  ['roll', 'back'],
])('help with several words searches for them as a phrase: %s %s', async (...words) => {
  const cli = await testCli()
  const result = await cli.run('help', ...words)
  expect(result).toEqual(await cli.run('help', words.join(' ')))
  expect(result.stdout + result.stderr).toMatch(/call start|rollback/)
})

describe('wrong usage', () => {
  test.each([
    [['tool', 'create', 'x.yaml', '--allow-unknow'], 'did you mean --allow-unknown?'],
    [['demo', '--timeout', 'soon'], 'Use a duration such as'],
  ])('%j exits 2 and helps', async (argv, words) => {
    const cli = await testCli()
    const result = await cli.run(...argv)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain(words)
  })

  test('with --json, the error is the only document on stdout', async () => {
    const cli = await testCli()
    const { stdout, exitCode } = await cli.run('tol', '--json')
    expect(exitCode).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ error: { kind: 'usage', exitCode: 2 } })
  })

  test('a page has its flags with --json too', async () => {
    const cli = await testCli()
    const { stdout } = await cli.run('help', 'call', 'start', '--json')
    const inverse = await cli.run('--json', 'help', 'call', 'start')
    expect(stdout).toContain('--from <number>')
    expect(inverse.stdout).toBe(stdout)
  })
})

test('global options are taken before and after the subcommand', async () => {
  const cli = await testCli({ 'tool.yaml': 'type: function' })
  for (const argv of [
    ['--json', 'tool', 'create', 'tool.yaml'],
    ['tool', '--json', 'create', 'tool.yaml'],
    ['tool', 'create', 'tool.yaml', '--json'],
  ]) {
    cli.answer('POST', '/assistants/v1/tools', { json: { _id: 't1' } })
    expect(JSON.parse((await cli.run(...argv)).stdout)).toEqual({ _id: 't1' })
  }
})

test.each(['--version', '-V', 'version'])('%s prints only the version', async word => {
  const cli = await testCli()
  expect((await cli.run(word)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  if (word === 'version') {
    expect(JSON.parse((await cli.run(word, '--json')).stdout)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
  }
})
