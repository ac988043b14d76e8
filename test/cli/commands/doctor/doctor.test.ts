import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scripts } from '../../../../src/cli/commands/completion/completion.ts'
import type { Clock } from '../../../../src/lib/clock.ts'
import { startTlsServer } from '../../../helpers/connect-proxy.ts'
import { type RunExtra, testCli } from '../../../helpers/test-cli.ts'

type Cli = Awaited<ReturnType<typeof testCli>>
interface Check {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly remedy?: string
}

/** No check runs out of time, however busy the machine is. */
const patientClock: Clock = {
  now: Date.now,
  sleep: (_, signal) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  timer: () => () => undefined,
}

const doctor = (cli: Cli, extra: RunExtra = {}, ...argv: string[]) =>
  cli.runWith({ clock: patientClock, ...extra }, 'doctor', ...argv)

async function checksOf(cli: Cli, extra: RunExtra = {}, ...argv: string[]) {
  const { exitCode, stdout } = await doctor(cli, extra, '--json', ...argv)
  const checks: readonly Check[] = JSON.parse(stdout).checks
  return { exitCode, of: (name: string) => checks.find(({ check }) => check === name), checks }
}

test('checks everything and exits with 0 if there is no problem', async () => {
  const cli = await testCli()
  const { exitCode, checks, of } = await checksOf(cli)
  expect(checks.map(({ check }) => check)).toEqual([
    'Node',
    'callyard',
    'Config folder',
    'Settings',
    'API key',
    'Service',
    'Port',
    'Tunnels',
    'Completion',
    'Project',
    'Lockfile',
    'Disk',
    'Broker',
  ])
  expect(checks.filter(({ status }) => status === 'problem')).toEqual([])
  expect(exitCode).toBe(0)
  expect(of('Settings')?.message).toContain(`base URL ${cli.baseUrl} (environment)`)
  expect(of('API key')?.message).toBe('present (environment)')
  expect(cli.requests.map(({ headers }) => headers.authorization)).not.toContain('Bearer key-of-the-test')
})

test('prints a line for each check, and remedies below', async () => {
  const { stdout, stderr, exitCode } = await doctor(await testCli(), { env: { CALLYARD_BASE_URL: '' } })
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout).toMatch(/^✓ Node +\d/m)
  expect(stdout).toMatch(/^! Settings .*\n {4}run callyard profile add/m)
  expect(stdout).not.toContain('key-of-the-test')
})

describe('exits with 8', () => {
  test('if the service is unreachable', async () => {
    const { exitCode, of } = await checksOf(await testCli(), {
      env: { CALLYARD_BASE_URL: 'http://127.0.0.1:1' },
    })
    expect(exitCode).toBe(8)
    expect(of('Service')).toMatchObject({ status: 'problem', message: 'connection refused' })
    expect(of('Service')?.remedy).toContain('callyard profile show')
  })

  test('if its certificate is not trusted', async () => {
    const port = await startTlsServer((_, response) => response.end())
    const { of } = await checksOf(await testCli(), {
      env: { CALLYARD_BASE_URL: `https://127.0.0.1:${port}` },
    })
    expect(of('Service')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('certificate'),
      remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    })
  })

  test('if the base URL is not https', async () => {
    const { exitCode, of } = await checksOf(await testCli(), {}, '--base-url', 'http://api.example.com')
    expect(exitCode).toBe(8)
    expect(of('Service')?.message).toContain('is not https')
  })

  test('if callyard.yaml is invalid; checks that need it are skipped', async () => {
    const cli = await testCli({ 'callyard.yaml': 'profil: work\n' })
    const { exitCode, of } = await checksOf(cli)
    expect(exitCode).toBe(8)
    expect(of('Settings')?.status).toBe('problem')
    for (const name of ['API key', 'Service', 'Project', 'Lockfile']) expect(of(name)?.status).toBe('skipped')
  })

  test('if a profile that was asked for does not exist', async () => {
    const { of } = await checksOf(await testCli(), {}, '--profile', 'nobody')
    expect(of('Settings')).toMatchObject({ status: 'problem', message: expect.stringContaining('nobody') })
  })

  test('if a file of the project is invalid, or the lockfile has a conflict', async () => {
    const cli = await testCli({
      'callyard.yaml': '',
      'tools/t.yaml': 'typ: function\n',
      'callyard.lock.yaml': '<<<<<<< ours\n=======\n>>>>>>> theirs\n',
    })
    const { of } = await checksOf(cli)
    expect(of('Project')).toMatchObject({ status: 'problem', remedy: expect.stringContaining('validate') })
    expect(of('Lockfile')?.status).toBe('problem')
  })

  test('if the broker of NATS_URL does not respond, or the variable is wrong', async () => {
    const unreachable = await checksOf(await testCli(), { env: { NATS_URL: 'nats://127.0.0.1:1' } })
    expect(unreachable.of('Broker')?.status).toBe('problem')
    const wrong = await checksOf(await testCli(), { env: { NATS_URL: 'nats://ada:s3cret@127.0.0.1:1' } })
    expect(wrong.of('Broker')?.status).toBe('problem')
    expect(JSON.stringify(wrong.checks)).not.toContain('s3cret')
  })

  test.skipIf(process.platform === 'win32')('if other users can read the keys', async () => {
    const config = await testCli({ 'config.json': '{ "profiles": {} }' })
    await chmod(join(config.folder, 'config.json'), 0o644)
    const { of } = await checksOf(await testCli(), { env: { CALLYARD_CONFIG_DIR: config.folder } })
    expect(of('Config folder')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('0644'),
      remedy: expect.stringContaining('chmod 600'),
    })
  })
})

test('a check that takes too long is a problem of its own', async () => {
  const hanging = await testCli()
  const { of } = await checksOf(hanging, { clock: { now: Date.now, sleep: async () => {} } })
  expect(of('Service')).toMatchObject({ status: 'problem', message: 'no result within 5 s' })
})

test('recognizes the completion script of another version', async () => {
  const home = await testCli()
  const file = join(home.folder, '.local/share/bash-completion/completions/callyard')
  const env = { HOME: home.folder, SHELL: '/bin/bash', XDG_DATA_HOME: '' }
  const state = async () => (await checksOf(await testCli(), { env })).of('Completion')?.status
  expect(await state()).toBe('skipped')
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, `${scripts.bash}# old\n`)
  expect(await state()).toBe('warning')
  await writeFile(file, scripts.bash)
  expect(await state()).toBe('ok')
})

test('creates no file and no folder', async () => {
  const home = await testCli()
  const cli = await testCli({ 'callyard.yaml': '' })
  const env = {
    HOME: home.folder,
    CALLYARD_CONFIG_DIR: join(home.folder, 'config'),
    XDG_CACHE_HOME: join(home.folder, 'cache'),
  }
  await doctor(cli, { env })
  await doctor(cli, { env }, '--report')
  expect(await readdir(home.folder)).toEqual([])
  expect(await readdir(cli.folder)).toEqual(['callyard.yaml'])
})

test('--report has no keys, hosts, folders and names of the user', async () => {
  const cli = await testCli({ 'desk/callyard.yaml': 'profile: acme\n' })
  const env = {
    HOME: '/home/ada',
    CALLYARD_CONFIG_DIR: '/home/ada/.config/callyard',
    CALLYARD_API_KEY: 'sk-1234567890',
    CALLYARD_BASE_URL: 'https://calls.acme.invalid/v1',
    NATS_URL: 'nats://broker.acme.invalid:4222',
  }
  const { stdout, exitCode } = await doctor(cli, { env, cwd: join(cli.folder, 'desk') }, '--report')
  expect(exitCode).toBe(8)
  expect(stdout).toContain('profile <profile> (project file), base URL <service> (environment)')
  expect(stdout).toContain('- Config folder: ok, <config>')
  expect(stdout).toMatch(/- Variables: .*CALLYARD_API_KEY, CALLYARD_BASE_URL/)
  for (const secret of ['acme', 'ada', 'sk-1234567890', cli.folder]) expect(stdout).not.toContain(secret)
})

test('a damaged record of protected services is a problem', async () => {
  const cli = await testCli()
  const { stdout } = await cli.run('profile', 'show', '--json')
  const folder = join(JSON.parse(stdout).configFile, '..', 'approvals')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'required.json'), '[]')
  const { of, exitCode } = await checksOf(cli)
  expect(exitCode).toBe(8)
  expect(of('Config folder')).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('required.json'),
  })
})

test('the password of an address is not shown', async () => {
  const env = { CALLYARD_BASE_URL: 'https://user:hidden-word@calls.example.test' }
  const cli = await testCli()
  for (const argv of [
    ['doctor'],
    ['doctor', '--report'],
    ['doctor', '--json'],
    ['profile', 'show'],
    ['profile', 'show', '--json'],
  ]) {
    const { stdout, stderr } = await cli.runWith({ clock: patientClock, env }, ...argv)
    expect(stdout + stderr).not.toContain('hidden-word')
  }
})
