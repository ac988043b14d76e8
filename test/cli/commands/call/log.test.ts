import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { realClock } from '../../../helpers/real-clock.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { startTestSandbox, type TestSandboxOptions } from '../../../helpers/test-sandbox.ts'

const path = '/calls/v1/conversations'
const numbers = ['--from', '+12025550100', '--to', '+12025550123']

async function placed(cli: TestCli, id: string, ...flags: string[]): Promise<void> {
  cli.answer('POST', path, { json: { sid: id } })
  const to = flags.includes('--to') ? ['--from', '+12025550100'] : numbers
  expect(await cli.run('call', 'start', '--yes', ...to, ...flags)).toMatchObject({ exitCode: 0 })
}

async function listed(cli: TestCli, ...flags: string[]) {
  const { exitCode, stdout, stderr } = await cli.run('call', 'list', '--json', ...flags)
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  const { calls, total } = JSON.parse(stdout)
  return { total, calls, ids: calls.map(({ id }: { id: string }) => id) }
}

async function cliWithSandbox(options: TestSandboxOptions = {}) {
  const sandbox = await startTestSandbox(options)
  const cli = await testCli({ 'desk.yaml': 'name: Desk\nwelcomeMessage: Hello.\n' }, { env: sandbox.env })
  const run = (...argv: string[]) => cli.runWith({ clock: realClock }, ...argv)
  await run('call', 'start', '--yes', ...numbers, '--assistant', 'desk.yaml')
  const id: string = (await listed(cli)).ids[0]
  return { sandbox, cli, run, id }
}

test('lists calls, latest first, with names but not values of variables', async () => {
  const cli = await testCli()
  await placed(cli, 'CC-1', '--var', 'name=Ada', '--assistant-id', '6650f0c2a1b2c3d4e5f60708')
  await placed(cli, 'CC-2')
  const { calls, total } = await listed(cli)
  expect(total).toBe(2)
  expect(calls).toMatchObject([
    { id: 'CC-2', assistant: null, variables: [], status: 'placed', service: cli.baseUrl, profile: null },
    { id: 'CC-1', assistant: '6650f0c2a1b2c3d4e5f60708', variables: ['name'], from: '+12025550100' },
  ])
  expect(calls[1]).not.toHaveProperty('values')
  const table = await cli.run('call', 'list')
  expect(table.stdout.split('\n').map(line => line.split(/ +/)[0])).toEqual(['call', 'CC-2', 'CC-1', ''])
  expect(table.stderr).toContain('call show <id>')
})

test('filters by number, sender, assistant, status, profile, time and limit', async () => {
  const cli = await testCli()
  await placed(cli, 'CC-1', '--to', '+12025550101')
  await placed(cli, 'CC-2', '--to', '+12025550102', '--assistant-id', 'a2')
  cli.answer('POST', path, { status: 400, json: { message: 'no' } })
  await cli.run('call', 'start', '--yes', '--from', '+12025550109', '--to', '+12025550103')
  const idsWith = async (...flags: string[]) => (await listed(cli, ...flags)).ids
  expect(await idsWith('--to', '+1 (202) 555-0101')).toEqual(['CC-1'])
  expect(await idsWith('--from', '+12025550109')).toEqual([null])
  expect(await idsWith('--assistant', 'a2')).toEqual(['CC-2'])
  expect(await idsWith('--status', 'not-placed')).toEqual([null])
  expect(await idsWith('--base-url', 'https://other.example.com')).toEqual([])
  expect(await idsWith('--since', '1h')).toHaveLength(3)
  expect(await idsWith('--since', '2999-01-01')).toEqual([])
  expect(await listed(cli, '--limit', '1')).toMatchObject({ ids: [null], total: 3 })
  const limited = await cli.run('call', 'list', '--limit', '2')
  expect(limited.stderr).toContain('Showing 2 of 3 calls; pass --limit for more')
  const none = await cli.run('call', 'list', '--to', '+12025550199')
  expect(none.stdout).toBe('no calls match\n')
})

test.each(['yesterday', '7', '2026-13-40', '-1d'])('--since %s is rejected', async since => {
  const cli = await testCli()
  const { exitCode, stderr } = await cli.run('call', 'list', '--since', since)
  expect(exitCode).toBe(2)
  expect(stderr).toContain('Use an age such as 2h or 7d')
})

test('a call whose response was lost is unknown, and one that was rejected was not placed', async () => {
  const cli = await testCli()
  cli.answer('POST', path, { status: 500, json: {} })
  expect(await cli.run('call', 'start', '--yes', ...numbers)).toMatchObject({ exitCode: 6 })
  cli.answer('POST', path, { status: 422, json: { message: 'number is not allowed' } })
  expect(await cli.run('call', 'start', '--yes', ...numbers)).toMatchObject({ exitCode: 5 })
  expect((await listed(cli)).calls).toMatchObject([
    { status: 'not-placed', reason: expect.stringContaining('number is not allowed') },
    { status: 'unknown', reason: expect.stringContaining('may have been placed') },
  ])
})

test('--no-log and log: false leave a call out, --dry-run too', async () => {
  const cli = await testCli({ 'private/callyard.yaml': 'log: false\n' })
  await placed(cli, 'CC-1', '--no-log')
  await cli.run('call', 'start', '--yes', ...numbers, '--dry-run')
  cli.answer('POST', path, { json: { sid: 'CC-2' } })
  await cli.runWith({ cwd: join(cli.folder, 'private') }, 'call', 'start', '--yes', ...numbers)
  expect(await listed(cli)).toEqual({ calls: [], ids: [], total: 0 })
})

test('log: values records the values of variables, those of the environment as asterisks', async () => {
  const cli = await testCli(
    {
      'callyard.yaml': 'log: values\n',
      'overrides.yaml': 'dynamicVariables: { day: Monday, code: "${env:DOOR_CODE}" }\n',
    },
    { env: { DOOR_CODE: 'secret-4711' } },
  )
  await placed(cli, 'CC-1', '--var', 'name=Ada', '--overrides', 'overrides.yaml')
  const { calls } = await listed(cli)
  expect(calls[0]).toMatchObject({
    variables: ['day', 'code', 'name'],
    values: { day: 'Monday', name: 'Ada' },
  })
  expect(JSON.stringify(calls)).not.toContain('secret-4711')
  const { stdout } = await cli.run('call', 'show', '--last')
  expect(stdout).toContain('day="Monday"')
})

test('log takes only false, names and values', async () => {
  const cli = await testCli({ 'callyard.yaml': 'log: everything\n' })
  const { exitCode, stderr } = await cli.run('call', 'start', '--yes', ...numbers)
  expect(exitCode).toBe(3)
  expect(stderr).toContain('callyard.yaml:1:6')
  expect(stderr).toContain('names')
})

test('a call is placed although the log cannot be written, with one warning', async () => {
  const cli = await testCli()
  const broken = join(cli.folder, 'broken')
  await mkdir(join(broken, 'calls.ndjson'), { recursive: true })
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  const env = { CALLYARD_CONFIG_DIR: broken }
  const { exitCode, stdout, stderr } = await cli.runWith({ env }, 'call', 'start', '--yes', ...numbers)
  expect(exitCode).toBe(0)
  expect(stdout).toContain('Call CC-1 placed')
  expect(stderr.match(/the call log is incomplete/g)).toHaveLength(1)
  expect(stderr).toContain('--no-log')
})

test('a followed call has its outcome and its recording, and is shown with the transcript', async () => {
  const { cli, run } = await cliWithSandbox()
  const follow = ['--assistant', 'desk.yaml', '--follow', '--record', 'calls.ndjson']
  await run(
    'call',
    'start',
    '--yes',
    ...numbers,
    ...follow,
    '--metadata',
    'caller=["Are you open?","/hangup"]',
  )
  const [call] = (await listed(cli)).calls
  expect(call).toMatchObject({
    status: 'answered',
    endedBy: 'user',
    recording: join(cli.folder, 'calls.ndjson'),
  })
  expect(call.seconds).toBeGreaterThan(0)
  const shown = await cli.run('call', 'show', '--last')
  expect(shown.stdout).toContain(`From ${call.recording}`)
  expect(shown.stdout).toContain('Are you open?')
  await run('call', 'show', '--last', '--json').then(({ stdout }) =>
    expect(JSON.parse(stdout)).toMatchObject({ call: { id: call.id }, transcript: { callId: call.id } }),
  )
})

test('says something in a live call, ends it, and shows what the sandbox has of it', async () => {
  const { run, id, sandbox } = await cliWithSandbox({ frozen: true })
  await sandbox.first.clock.advance(3000)
  const prefix = id.slice(0, 9)
  expect(await run('call', 'say', prefix, 'One moment, please.')).toMatchObject({
    exitCode: 0,
    stdout: `Said in call ${id.slice(0, 11)}\n`,
  })
  await sandbox.first.clock.advance(3000)
  expect(await run('call', 'hangup', '--last', '--json')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('"done": "hung-up"'),
  })
  await sandbox.first.clock.advance(3000)
  const again = await run('call', 'hangup', id)
  expect(again).toMatchObject({ exitCode: 5, stdout: '' })
  expect(again.stderr).toContain('the call is over')
  const { stdout } = await run('call', 'show', id, '--json')
  const { from, transcript } = JSON.parse(stdout)
  expect(from).toMatch(/^http:\/\/127\.0\.0\.1:/)
  expect(transcript).toMatchObject({ callId: id, userNumber: '+12025550123', callEndTriggerBy: 'control' })
  expect(transcript.messages).toContainEqual(
    expect.objectContaining({ role: 'assistant', text: 'One moment, please.' }),
  )
})

test('a call that is not in the log can be controlled by its whole id', async () => {
  const { run, id } = await cliWithSandbox({ frozen: true })
  expect(await run('call', 'log', 'prune', '--older-than', '0s')).toMatchObject({ exitCode: 0 })
  expect(await run('call', 'show', id)).toMatchObject({ exitCode: 2 })
  expect(await run('call', 'hangup', id)).toMatchObject({ exitCode: 0 })
  const unknown = await run('call', 'say', 'CC-nobody', 'Hello')
  expect(unknown).toMatchObject({ exitCode: 5 })
  expect(unknown.stderr).toContain('there is no call with the id "CC-nobody"')
})

test('calls of another service are controlled only if callyard.yaml declares an endpoint', async () => {
  const cli = await testCli({
    'declared/callyard.yaml': 'endpoints: { controlCall: "PUT /v2/calls/{id}/commands" }\n',
    'wrong/callyard.yaml': 'endpoints: { controlCall: "GET /v2/calls/{id}" }\n',
  })
  await placed(cli, 'CC-1')
  const refused = await cli.run('call', 'say', 'CC-1', 'Hello')
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain(`the service at ${cli.baseUrl} publishes no endpoint to control a call`)
  expect(refused.stderr).toContain('endpoints: { controlCall:')
  cli.answer('PUT', '/v2/calls/CC-1/commands', { json: { ok: true } })
  const declared = { cwd: join(cli.folder, 'declared') }
  expect(await cli.runWith(declared, 'call', 'say', 'CC-1', 'Hello', '--role', 'user')).toMatchObject({
    exitCode: 0,
  })
  expect(cli.requests.at(-1)?.body).toEqual({ type: 'say', role: 'user', text: 'Hello' })
  const wrong = await cli.runWith({ cwd: join(cli.folder, 'wrong') }, 'call', 'hangup', 'CC-1')
  expect(wrong).toMatchObject({ exitCode: 3 })
  expect(wrong.stderr).toContain('allowed: POST or PUT')
})

test('a call that was placed at another service is not controlled', async () => {
  const cli = await testCli()
  await placed(cli, 'CC-1')
  const { exitCode, stderr } = await cli.runWith(
    { env: { CALLYARD_BASE_URL: 'http://127.0.0.1:9' } },
    ...['call', 'hangup', 'CC-1'],
  )
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`call CC-1 was placed at ${cli.baseUrl}, not at http://127.0.0.1:9`)
  expect(stderr).toContain(`pass --base-url ${cli.baseUrl}`)
})

test('an unknown, an ambiguous and a missing id are explained', async () => {
  const cli = await testCli()
  expect((await cli.run('call', 'show', '--last')).stderr).toContain(
    'no calls have been placed from this machine',
  )
  await placed(cli, 'CC-1a')
  await placed(cli, 'CC-1b')
  const asked = async (...argv: string[]) => (await cli.run('call', 'show', ...argv)).stderr
  expect(await asked('CC-1')).toContain('several calls of the log start with "CC-1"')
  expect(await asked('CC-1c')).toContain('no call "CC-1c" in the call log')
  expect(await asked()).toContain('no call is given')
  expect(await asked('CC-1a', '--last')).toContain('cannot be used together')
})

test('a call without an id or a transcript is shown as far as it is known', async () => {
  const cli = await testCli()
  cli.answer('POST', path, { status: 500, json: {} })
  await cli.run('call', 'start', '--yes', ...numbers)
  const { stdout, stderr } = await cli.run('call', 'show', '--last')
  expect(stdout).toMatch(/^Call without id\n {2}placed /)
  expect(stdout).toContain('status     unknown')
  expect(stderr).toContain('There is no transcript')
  const hangup = await cli.run('call', 'hangup', '--last')
  expect(hangup).toMatchObject({ exitCode: 2 })
  expect(hangup.stderr).toContain('the id of this call is unknown')
})

test('--events reads the transcript of a call from a recording', async () => {
  const cli = await testCli({ 'other.ndjson': '' })
  await placed(cli, 'CC-1')
  const { exitCode, stderr } = await cli.run('call', 'show', 'CC-1', '--events', 'missing.ndjson')
  expect(exitCode).toBe(3)
  expect(stderr).toContain('missing.ndjson')
})

test('prune removes calls by age', async () => {
  const cli = await testCli()
  await placed(cli, 'CC-1')
  expect((await cli.run('call', 'log', 'prune', '--older-than', '30d')).stdout).toBe(
    'Removed 0 calls; 1 call left\n',
  )
  const later = { ...realClock, now: () => Date.now() + 31 * 86_400_000 }
  const pruned = await cli.runWith({ clock: later }, 'call', 'log', 'prune', '--older-than', '30d')
  expect(pruned.stdout).toBe('Removed 1 call; 0 calls left\n')
  expect(await listed(cli)).toMatchObject({ total: 0 })
  expect(await cli.run('call', 'log', 'prune')).toMatchObject({ exitCode: 2 })
})
