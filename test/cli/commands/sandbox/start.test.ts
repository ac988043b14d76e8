import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCommand } from '../../../helpers/start-command.ts'
import { testCli } from '../../../helpers/test-cli.ts'

/** Ends the command as soon as it listens: a signal that was given before it started. */
const stopped = () => ({ signal: AbortSignal.abort('SIGINT') })

test('--json prints the base URL, the key and the control token', async () => {
  const cli = await testCli()
  const result = await cli.runWith(stopped(), 'sandbox', 'start', '--in-memory', '--port', '0', '--json')
  expect(result.exitCode).toBe(0)
  const [ready, ...rest] = result.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(rest).toEqual([])
  expect(new Date(ready.time).toISOString()).toBe(ready.time)
  expect(ready).toEqual({
    kind: 'ready',
    time: expect.any(String),
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    apiKey: expect.stringMatching(/^cy_sandbox_.{32}$/),
    controlToken: expect.stringMatching(/^cy_control_.{32}$/),
  })
})

test('the control token is that of the environment, a new one at each start, or none', async () => {
  const start = ['sandbox', 'start', '--in-memory', '--port', '0', '--json']
  const tokenWith = async (env: Record<string, string>, ...flags: string[]) => {
    const cli = await testCli({}, { env })
    return JSON.parse((await cli.runWith(stopped(), ...start, ...flags)).stdout).controlToken
  }
  expect(await tokenWith({ CALLYARD_SANDBOX_TOKEN: 'mine' })).toBe('mine')
  expect(await tokenWith({})).not.toBe(await tokenWith({ CALLYARD_SANDBOX_TOKEN: '' }))
  expect(await tokenWith({ CALLYARD_SANDBOX_TOKEN: 'mine' }, '--no-control')).toBeUndefined()
})

test('rejects a control token that no header can contain before starting', async () => {
  const cli = await testCli({}, { env: { CALLYARD_SANDBOX_TOKEN: 'no token' } })
  const result = await cli.run('sandbox', 'start', '--in-memory', '--port', '0')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain('CALLYARD_SANDBOX_TOKEN')
  expect(result.stderr).not.toContain('no token')
})

test('--project names the assistants with fields that have no effect', async () => {
  const cli = await testCli({
    'callyard.yaml': '',
    'assistants/desk.yaml': 'name: Desk\nsmsConfiguration: { enabled: true }\n',
  })
  const args = ['sandbox', 'start', '--in-memory', '--port', '0', '--project', '.']
  const { exitCode, stderr } = await cli.runWith(stopped(), ...args)
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toContain('smsConfiguration (assistants/desk.yaml)')
})

test('--ui says where the page is, with its token behind the #', async () => {
  const cli = await testCli()
  const args = ['sandbox', 'start', '--in-memory', '--port', '0', '--ui']
  const { stdout } = await cli.runWith(stopped(), ...args, '--json')
  const [ready, ui] = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(ui).toEqual({
    kind: 'ui',
    time: expect.any(String),
    url: expect.stringMatching(/#token=cy_control_.{32}$/),
  })
  expect(ui.url.startsWith(`${ready.baseUrl}/__sandbox/ui/#`)).toBe(true)
  const { stderr } = await cli.runWith(stopped(), ...args)
  expect(stderr).toMatch(/The sandbox is shown at\n {2}http:\/\/127\.0\.0\.1:\d+\/__sandbox\/ui\/#token=/)
  expect(await cli.run(...args, '--no-control')).toMatchObject({ exitCode: 2 })
  expect(await cli.run(...args, '--allow-remote')).toMatchObject({ exitCode: 2 })
})

test('a sandbox without a profile says which variables lead to it', async () => {
  const cli = await testCli()
  const { stdout, stderr } = await cli.runWith(stopped(), 'sandbox', 'start', '--in-memory', '--port', '0')
  const baseUrl = stdout.trimEnd().split('\n').at(-1)?.trim()
  expect(stderr).toContain('No profile is saved: --save-profile <name> saves one.')
  expect(stderr).toContain(`\n  export CALLYARD_BASE_URL=${baseUrl}\n`)
  expect(stderr).toMatch(/\n {2}export CALLYARD_API_KEY=cy_sandbox_.{32}\n/)
})

test('prints where it runs and what to type next, but not a key that is in a profile', async () => {
  const cli = await testCli()
  const args = ['sandbox', 'start', '--port', '0', '--data', 'records.ndjson', '--save-profile', 'desk']
  const result = await cli.runWith(stopped(), ...args)
  expect(result).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^The sandbox runs on\n {2}http:\/\/127\.0\.0\.1:\d+\n$/),
    stderr: expect.stringContaining('callyard apply'),
  })
  const key = JSON.parse((await cli.read('records.ndjson')).split('\n')[0] ?? '').apiKey
  expect(result.stdout + result.stderr).not.toContain(key)
  const again = await cli.runWith(stopped(), ...args, '--json')
  expect(JSON.parse(again.stdout)).toMatchObject({ kind: 'ready', apiKey: key })
})

test('starts if its profile is selected but does not exist yet', async () => {
  const cli = await testCli({}, { env: { CALLYARD_PROFILE: 'sandbox' } })
  const start = ['sandbox', 'start', '--in-memory', '--port', '0', '--save-profile', 'sandbox']
  expect(await cli.runWith(stopped(), ...start)).toMatchObject({ exitCode: 0 })
  const needed = await testCli({}, { env: { CALLYARD_PROFILE: 'sandbox' } })
  const refused = await needed.run('api', 'GET', '/x')
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('profile sandbox not found')
})

test('rejects a host that other machines can reach', async () => {
  const cli = await testCli()
  const result = await cli.run('sandbox', 'start', '--in-memory', '--host', '0.0.0.0', '--port', '0')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain('loopback')
})

test('exits immediately if the port is in use', async () => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const cli = await testCli()
  const port = String((other.address() as AddressInfo).port)
  const result = await cli.run('sandbox', 'start', '--in-memory', '--port', port)
  expect(result).toMatchObject({ exitCode: 9, stdout: '' })
  expect(result.stderr).toContain('--port 0')
})

test('rejects an invalid numbers file with its line before starting', async () => {
  const cli = await testCli({ 'numbers.yaml': '- id: p1\n  number: 5\n' })
  const result = await cli.run('sandbox', 'start', '--in-memory', '--port', '0', '--numbers', 'numbers.yaml')
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toContain('numbers.yaml:2:11')
})

test.each([
  [['--pace', 'fast']],
  [['--port', '70000']],
  [['--in-memory', '--data', 'x']],
  [['--seed', '-1']],
  [['--fault', 'drop=2']],
  [['--fault-http', '404']],
  [['--caller', 'nobody']],
  [['--llm-model', 'm']],
  [['--llm-url', 'ftp://127.0.0.1']],
  [['--save-profile', 'no name']],
])('%j is wrong usage', async args => {
  const cli = await testCli()
  const result = await cli.run('sandbox', 'start', '--in-memory', '--port', '0', ...args)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
})

test('rejects a misspelled fault with a suggestion', async () => {
  const cli = await testCli()
  const result = await cli.run('sandbox', 'start', '--fault', 'duplicate,reoder=0.5')
  expect(result.stderr).toContain('Did you mean reorder?')
})

describe('with faults', () => {
  const start = ['sandbox', 'start', '--in-memory', '--port', '0']
  const faults = ['--fault', 'duplicate=0.5,drop', '--fault-http', '429']

  test('prints the seed in the ready line, and chooses one without --seed', async () => {
    const cli = await testCli()
    const ready = async (...args: string[]) =>
      JSON.parse((await cli.runWith(stopped(), ...start, ...args, '--json')).stdout)
    expect(await ready(...faults, '--seed', '7')).toMatchObject({ kind: 'ready', seed: 7 })
    const chosen = await ready('--fault', 'drop')
    expect(chosen.seed).toEqual(expect.any(Number))
    expect((await ready('--fault-http', '500')).seed).not.toBe(chosen.seed)
  })

  test('prints those of a request', async () => {
    const cli = await testCli()
    const sandbox = startCommand(cli, [...start, '--save-profile', 'sandbox', '--fault-http', '500=1'])
    await sandbox.printed(/The sandbox runs on\n {2}http/)
    const env = { CALLYARD_BASE_URL: '', CALLYARD_API_KEY: '' }
    const argv = [
      'api',
      'POST',
      '/assistants/v1/tools',
      '--body',
      '{"type":"function"}',
      '--profile',
      'sandbox',
    ]
    const { exitCode, stderr } = await cli.runWith({ env }, ...argv)
    expect(exitCode).toBe(6)
    expect(stderr).toContain('a fault on request')
    expect((await sandbox.end()).stdout).toContain('\nfault: 500 in POST /assistants/v1/tools\n')
  })

  test('a person reads which are on and how to repeat them', async () => {
    const cli = await testCli()
    const { stderr } = await cli.runWith(stopped(), ...start, ...faults, '--seed', '7')
    expect(stderr).toContain(
      'Faults on request: to webhooks duplicate=0.5, drop=0.2; to requests 429=0.2. --seed 7 repeats them.',
    )
  })
})

test('the key of the model server is neither shown nor sent in clear', async () => {
  const cli = await testCli({}, { env: { CALLYARD_LLM_API_KEY: 'key-of-the-model' } })
  const start = ['sandbox', 'start', '--in-memory', '--port', '0', '--json', '--debug']
  const refused = await cli.run(...start, '--llm-url', 'http://models.example.com/v1')
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('CALLYARD_LLM_API_KEY')
  const taken = await cli.runWith(stopped(), ...start, '--llm-url', 'https://models.example.com/v1')
  expect(taken.exitCode).toBe(0)
  for (const { stdout, stderr } of [refused, taken]) expect(stdout + stderr).not.toContain('key-of-the-model')
})
