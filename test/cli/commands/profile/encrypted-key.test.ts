import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { callPaths } from '../../../../src/service/api/index.ts'
import type { Limits } from '../../../../src/service/profile/index.ts'
import { addProtectedProfile, passphrase } from '../../../helpers/protected-profile.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const start = ['call', 'start', '--from', '+12025550100', '--to', '+12025550123', '--yes'] as const
const tools = '/assistants/v1/tools'
const person = { hasTerminal: true, terminal: true } as const

/** A profile whose key is encrypted; nothing else sets a key or a base URL. */
async function withEncryptedKey(limits?: Limits) {
  const cli = await testCli({}, { env: { CALLYARD_BASE_URL: '', CALLYARD_API_KEY: '' } })
  const { config } = await addProtectedProfile(cli, { ...(limits && { limits }) })
  const settings = async () => JSON.parse(await readFile(config, 'utf8'))
  return { ...cli, file: config, settings }
}

test('the key is in no file, and a person reads and places calls with the passphrase', async () => {
  const cli = await testCli({}, { env: { CALLYARD_BASE_URL: '', CALLYARD_API_KEY: '' } })
  const add = ['profile', 'add', 'work', '--base-url', cli.baseUrl, '--api-key-stdin']
  await cli.runWith({ input: 'key-of-the-profile' }, ...add)
  const { configFile } = JSON.parse((await cli.run('profile', 'show', '--json')).stdout)
  const damaged = join(dirname(configFile), 'config.damaged-20260101T000000Z.json')
  await writeFile(damaged, '{"apiKey":"key-of-the-profile"')
  cli.type(passphrase, passphrase)
  const protect = await cli.runWith(person, 'profile', 'protect', 'work', '--require-approval')
  expect(protect).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('encrypted') })
  for (const file of [configFile, damaged])
    expect(await readFile(file, 'utf8')).not.toContain('key-of-the-profile')
  cli.answer('GET', tools, { json: [] })
  cli.type(passphrase)
  expect(await cli.runWith(person, 'api', 'GET', tools)).toMatchObject({ exitCode: 0 })
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  cli.type(passphrase)
  expect(await cli.runWith(person, ...start)).toMatchObject({ exitCode: 0 })
  expect(cli.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer key-of-the-profile',
    'Bearer key-of-the-profile',
  ])
})

test('a script gets neither the key nor the passphrase prompt', async () => {
  const cli = await withEncryptedKey()
  const codeOf = async (...argv: string[]) => {
    const { stdout, exitCode } = await cli.runWith({ input: `${passphrase}\n` }, ...argv, '--json')
    return [exitCode, JSON.parse(stdout).error.code]
  }
  expect(await codeOf('api', 'GET', tools)).toEqual([4, 'key-locked'])
  expect(await codeOf(...start)).toEqual([4, 'approval-required'])
  expect(await codeOf('profile', 'unprotect', 'work')).toEqual([2, 'needs-terminal'])
  expect(await codeOf('profile', 'set-key', 'work', '--api-key-stdin')).toEqual([2, 'needs-terminal'])
  expect(await codeOf('profile', 'protect', 'work', '--calls-per-day', '9')).toEqual([4, 'key-locked'])
  const replace = ['profile', 'add', 'work', '--base-url', cli.baseUrl, '--api-key-stdin', '--yes']
  expect(await codeOf(...replace)).toEqual([2, 'needs-terminal'])
  expect(cli.requests).toEqual([])
})

test('listed settings say that the key is encrypted', async () => {
  const cli = await withEncryptedKey()
  const { stdout } = await cli.run('profile', 'list', '--json')
  expect(JSON.parse(stdout).profiles).toMatchObject([{ name: 'work', apiKey: 'encrypted' }])
  const shown = JSON.parse((await cli.run('profile', 'show', '--json')).stdout)
  expect(shown.apiKey).toEqual({ value: 'encrypted', from: 'profile' })
  const { checks } = JSON.parse((await cli.run('doctor', '--json')).stdout)
  expect(checks).toContainEqual({ check: 'API key', status: 'ok', message: 'encrypted (profile work)' })
})

type Edit = (profile: { limits: Record<string, unknown>; baseUrl: string }) => void
test.each<[string, Edit]>([
  ['limits', ({ limits }) => delete limits.numbers],
  [
    'the base URL',
    profile => {
      profile.baseUrl = 'https://other.example.test'
    },
  ],
])('the passphrase does not open the key after an edit of %s', async (_, edit) => {
  const cli = await withEncryptedKey({ numbers: ['+12025550123'] })
  const settings = await cli.settings()
  edit(settings.profiles.work)
  await writeFile(cli.file, JSON.stringify(settings))
  cli.type(passphrase)
  const { exitCode, stderr } = await cli.runWith(person, 'api', 'GET', tools)
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('were edited')
  expect(cli.requests).toEqual([])
})

test('limits of an encrypted key change with the passphrase', async () => {
  const cli = await withEncryptedKey()
  cli.type(passphrase)
  const limit = ['profile', 'protect', 'work', '--allow-number', '+12025550199']
  expect(await cli.runWith(person, ...limit)).toMatchObject({ exitCode: 0 })
  expect(await cli.runWith(person, ...start, '--json')).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('number-not-allowed'),
  })
})

test('a new key replaces the one whose passphrase was forgotten', async () => {
  const cli = await withEncryptedKey({ callsPerDay: 3 })
  cli.type('another-key', 'another passphrase', 'another passphrase')
  expect(await cli.runWith(person, 'profile', 'set-key', 'work')).toMatchObject({ exitCode: 0 })
  expect((await cli.settings()).profiles.work).toMatchObject({
    approval: 'required',
    limits: { callsPerDay: 3 },
    apiKey: { cipher: 'aes-256-gcm' },
  })
  cli.type('y', 'another passphrase')
  expect(await cli.runWith(person, 'profile', 'unprotect', 'work')).toMatchObject({ exitCode: 0 })
  expect((await cli.settings()).profiles.work).toEqual({ baseUrl: cli.baseUrl, apiKey: 'another-key' })
  cli.answer('POST', callPaths.start, { json: { sid: 'CC-1' } })
  expect(await cli.run(...start)).toMatchObject({ exitCode: 0 })
})

test('a script replaces the key of a profile that is not encrypted, and its limits stay', async () => {
  const cli = await testCli()
  const add = ['profile', 'add', 'ci', '--base-url', cli.baseUrl, '--api-key-stdin']
  await cli.runWith({ input: 'key-1' }, ...add)
  await cli.run('profile', 'protect', 'ci', '--calls-per-day', '3')
  const set = ['profile', 'set-key', 'ci', '--api-key-stdin']
  expect(await cli.runWith({ input: 'key-2\n' }, ...set)).toMatchObject({ exitCode: 0 })
  const { configFile } = JSON.parse((await cli.run('profile', 'show', '--json')).stdout)
  expect(JSON.parse(await readFile(configFile, 'utf8')).profiles.ci).toEqual({
    baseUrl: cli.baseUrl,
    apiKey: 'key-2',
    limits: expect.objectContaining({ callsPerDay: 3 }),
  })
})

test('another profile with the same key is reported', async () => {
  const cli = await testCli()
  for (const name of ['work', 'old']) {
    const add = ['profile', 'add', name, '--base-url', cli.baseUrl, '--api-key-stdin']
    await cli.runWith({ input: 'key-of-both' }, ...add)
  }
  cli.type(passphrase, passphrase)
  const { stderr } = await cli.runWith(person, 'profile', 'protect', 'work', '--require-approval')
  expect(stderr).toContain('profile old has the same key unencrypted')
})
