import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callPaths } from '../../../src/service/api/index.ts'
import type { Limits } from '../../../src/service/profile/index.ts'
import { addProtectedProfile, passphrase } from '../../helpers/protected-profile.ts'
import { testCli } from '../../helpers/test-cli.ts'

const start = ['call', 'start', '--from', '+12025550100', '--to', '+12025550123', '--yes'] as const

const files = {
  'kb.yaml': 'knowledgeBaseId: kb1\nfaq:\n  - question: When?\n    answer: Now\n',
  'desk.yaml': 'name: Desk\n',
}

/** A profile that requires approval, and a key in the environment too, as an agent may have it. */
async function withProtectedProfile(limits?: Limits) {
  const cli = await testCli(files)
  return { ...cli, ...(await addProtectedProfile(cli, { ...(limits && { limits }) })) }
}

/** A profile of the stub with limits. */
async function withProfile(...flags: string[]) {
  const cli = await testCli(files)
  await cli.runWith({ input: 'key-of-the-test' }, ...add(cli.baseUrl))
  if (flags.length > 0)
    expect(await cli.run('profile', 'protect', 'work', ...flags)).toMatchObject({ exitCode: 0 })
  const config = await configFile(cli)
  return { ...cli, config }
}

function add(baseUrl: string): readonly string[] {
  return ['profile', 'add', 'work', '--base-url', baseUrl, '--api-key-stdin', '--yes']
}

async function configFile(cli: Awaited<ReturnType<typeof testCli>>): Promise<string> {
  const { stdout } = await cli.run('profile', 'show', '--json')
  return JSON.parse(stdout).configFile
}

test.each([
  ['call start', start],
  ['call connect', ['call', 'connect', '--phone-number-id', 'pn_1', '--to', '+12025550123', '--yes']],
  ['assistant create', ['assistant', 'create', 'desk.yaml']],
  ['faq push', ['faq', 'push', 'kb.yaml']],
  ['api POST', ['api', 'POST', callPaths.start, '--body', '{}', '--yes']],
  ['api PATCH', ['api', 'PATCH', '/assistants/v1/tools/1', '--body', '{}']],
  ['api DELETE', ['api', 'DELETE', '/assistants/v1/tools/1']],
])('a service that requires approval gets no %s from a script', async (_, argv) => {
  const cli = await withProtectedProfile()
  const result = await cli.run(...argv, '--json')
  expect(result.exitCode).toBe(4)
  expect(JSON.parse(result.stdout).error.code).toBe('approval-required')
  expect(cli.requests).toEqual([])
})

test('it can be read', async () => {
  const cli = await withProtectedProfile()
  cli.answer('GET', '/assistants/v1/tools', { json: [] })
  expect(await cli.run('api', 'GET', '/assistants/v1/tools')).toMatchObject({ exitCode: 0 })
})

test.each(['localhost', '127.0.0.2', '[::1]'])(
  'another name of its address, %s, is the same service',
  async host => {
    const cli = await withProtectedProfile()
    const baseUrl = cli.baseUrl.replace('127.0.0.1', host)
    const result = await cli.runWith({ env: { CALLYARD_BASE_URL: baseUrl } }, ...start, '--json')
    expect(JSON.parse(result.stdout).error.code).toBe('approval-required')
  },
)

test('a person at a terminal is asked, whatever --yes says, once for a command', async () => {
  const cli = await withProtectedProfile()
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.type('y')
  expect(await cli.runWith({ hasTerminal: true }, ...start)).toMatchObject({ exitCode: 0 })
  cli.type('n')
  expect(await cli.runWith({ hasTerminal: true }, ...start)).toMatchObject({ exitCode: 4 })
  expect(cli.requests).toHaveLength(1)
})

test('editing, replacing or removing the profile does not lift the requirement', async () => {
  const cli = await withProtectedProfile()
  const config = JSON.parse(await readFile(cli.config, 'utf8'))
  delete config.profiles.work.approval
  await writeFile(cli.config, JSON.stringify(config))
  expect(await cli.run(...start)).toMatchObject({ exitCode: 4 })
  await writeFile(cli.config, JSON.stringify({ profiles: {} }))
  expect(await cli.run(...start)).toMatchObject({ exitCode: 4 })
  await cli.runWith({ input: 'key' }, ...add(cli.baseUrl))
  expect(await cli.run(...start)).toMatchObject({ exitCode: 4 })
  await writeFile(join(cli.config, '..', 'approvals', 'required.json'), 'not JSON')
  expect(await cli.run(...start)).toMatchObject({ exitCode: 2 })
  expect(cli.requests).toEqual([])
})

test.each([
  [['profile', 'unprotect', 'work']],
  [['profile', 'remove', 'work', '--yes']],
  [['profile', 'add', 'work', '--base-url', 'https://other.example.test', '--api-key-stdin', '--yes']],
])('a script cannot lower rules with %j', async argv => {
  const cli = await withProtectedProfile({ callsPerDay: 3 })
  const before = await readFile(cli.config, 'utf8')
  const result = await cli.runWith({ input: 'key' }, ...argv, '--json')
  expect(result.exitCode).toBe(2)
  expect(JSON.parse(result.stdout).error.code).toBe('needs-terminal')
  expect(await readFile(cli.config, 'utf8')).toBe(before)
})

test.each([[['--calls-per-day', '9']], [['--no-limits']]])(
  'only a person at a terminal changes limits with %j',
  async flags => {
    const cli = await withProfile('--calls-per-day', '0')
    const set = ['profile', 'protect', 'work', ...flags]
    expect(await cli.run(...set)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('requires a terminal'),
    })
    cli.type('y')
    expect(await cli.runWith({ hasTerminal: true }, ...set)).toMatchObject({ exitCode: 0 })
    cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
    expect(await cli.run(...start)).toMatchObject({ exitCode: 0 })
  },
)

test('a person at a terminal removes the requirement', async () => {
  const cli = await withProtectedProfile()
  cli.type('y', passphrase)
  const unprotect = ['profile', 'unprotect', 'work']
  expect(await cli.runWith({ hasTerminal: true }, ...unprotect)).toMatchObject({ exitCode: 0 })
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  expect(await cli.run(...start)).toMatchObject({ exitCode: 0 })
})

test('replacing the key keeps the rules', async () => {
  const cli = await withProfile('--allow-number', '+1202556*')
  await cli.runWith({ input: 'another-key' }, ...add(cli.baseUrl))
  const result = await cli.run(...start, '--json')
  expect(JSON.parse(result.stdout).error).toMatchObject({ code: 'number-not-allowed', kind: 'usage' })
  expect(cli.requests).toEqual([])
})

test('the daily limit counts the calls of the log, also with --no-log', async () => {
  const cli = await withProfile('--calls-per-day', '2')
  for (const sid of ['CC-1', 'CC-2']) {
    cli.answer('POST', callPaths.start, { json: { sid } })
    expect(await cli.run(...start, '--no-log')).toMatchObject({ exitCode: 0 })
  }
  const third = await cli.run(...start, '--no-log', '--json')
  expect(JSON.parse(third.stdout).error.code).toBe('calls-per-day-reached')
  expect(cli.requests).toHaveLength(2)
  const { stdout } = await cli.run('call', 'list', '--json')
  const { calls } = JSON.parse(stdout)
  expect(calls.map(({ status }: { status: string }) => status)).toEqual(['not-placed', 'placed', 'placed'])
})

test('TZ moves neither hours nor days', async () => {
  const cli = await withProfile('--calls-per-day', '1', '--hours', '00:00-24:00')
  const { profiles } = JSON.parse(await readFile(cli.config, 'utf8'))
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  expect(profiles.work.limits).toMatchObject({ timeZone })
  const shown = await cli.run('profile', 'protect', 'work')
  expect(shown.stdout).toContain(`(${timeZone})`)
  // The day of these limits ends now, and that of the machine does not.
  const limits = { callsPerDay: 1, timeZone: 'Pacific/Kiritimati' }
  await writeFile(
    cli.config,
    JSON.stringify({ profiles: { work: { baseUrl: cli.baseUrl, apiKey: 'k', limits } } }),
  )
  const clock = (time: string) => ({ now: () => Date.parse(time), sleep: async () => undefined })
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-2' } })
  expect(await cli.runWith({ clock: clock('2026-03-01T09:30:00Z') }, ...start)).toMatchObject({ exitCode: 0 })
  expect(await cli.runWith({ clock: clock('2026-03-01T09:50:00Z') }, ...start)).toMatchObject({ exitCode: 2 })
  expect(await cli.runWith({ clock: clock('2026-03-01T10:10:00Z') }, ...start)).toMatchObject({ exitCode: 0 })
})

test.each([
  callPaths.start,
  `${callPaths.start};x`,
  '/calls%252Fv1%252Fconversations%253Fx',
  '/calls/v9/anything',
])('api writes nothing to %s where calls are limited', async path => {
  const cli = await withProfile('--calls-per-day', '2')
  const twice = '{"userNumber":"+12025550123","userNumber":"+12025550199"}'
  const result = await cli.run('api', 'POST', path, '--body', twice, '--yes')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain('callyard call start')
  expect(cli.requests).toEqual([])
})

test.each([[['--allow-number', '12025550123']], [['--hours', '17:00-09:00']], [['--hours', 'morning']]])(
  'rejects %j',
  async flags => {
    const cli = await withProfile()
    expect(await cli.run('profile', 'protect', 'work', ...flags)).toMatchObject({ exitCode: 2 })
  },
)

test('an unknown limit in the settings is not ignored', async () => {
  const cli = await withProfile('--calls-per-day', '2')
  const config = JSON.parse(await readFile(cli.config, 'utf8'))
  config.profiles.work.limits.number = ['+1202*']
  await writeFile(cli.config, JSON.stringify(config))
  const result = await cli.run('profile', 'list')
  expect(result.stderr).toContain('damaged')
  // The environment has the key and the base URL.
  expect(await cli.run(...start)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('damaged') })
  expect(cli.requests).toEqual([])
})

test('rules of another profile do not lift the requirement', async () => {
  const cli = await withProtectedProfile()
  const other = add(cli.baseUrl).map(word => (word === 'work' ? 'other' : word))
  expect(await cli.runWith({ input: 'key-of-the-test' }, ...other)).toMatchObject({ exitCode: 0 })
  await cli.run('profile', 'protect', 'other', '--hours', '00:00-23:59')
  const config = JSON.parse(await readFile(cli.config, 'utf8'))
  delete config.profiles.work.approval
  await writeFile(cli.config, JSON.stringify(config))
  expect(await cli.run(...start)).not.toMatchObject({ exitCode: 0 })
  expect(cli.requests).toEqual([])
})
