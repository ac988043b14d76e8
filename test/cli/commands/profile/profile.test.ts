import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { loadConf } from '../../../../src/service/profile/index.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const { saveProfile } = await loadConf()

const apiKey = 'key-that-must-not-be-shown'
let config: string

beforeEach(async () => {
  config = await temporaryFolder()
})

/** A machine without settings in its environment. */
const bare = () => ({
  env: {
    CALLYARD_CONFIG_DIR: config,
    CALLYARD_BASE_URL: undefined,
    CALLYARD_API_KEY: undefined,
  },
})
const stored = async (): Promise<unknown> => JSON.parse(await readFile(join(config, 'config.json'), 'utf8'))

async function twoProfiles(): Promise<void> {
  const env = { CALLYARD_CONFIG_DIR: config }
  await saveProfile(env, 'work', { baseUrl: 'https://work.example.com', apiKey })
  await saveProfile(env, 'other', { baseUrl: 'https://other.example.com/v1', apiKey: 'short' })
}

describe('profile add', () => {
  test('from flag and stdin', async () => {
    const cli = await testCli({}, bare())
    const result = await cli.runWith(
      { input: `${apiKey}\n` },
      ...['profile', 'add', 'work', '--base-url', 'https://work.example.com/', '--api-key-stdin'],
    )
    expect(result).toEqual({
      exitCode: 0,
      stdout: 'Saved profile work for https://work.example.com; it is in use\n',
      stderr: '',
    })
    expect(await stored()).toEqual({
      current: 'work',
      profiles: { work: { baseUrl: 'https://work.example.com', apiKey } },
    })
  })

  test('asks for what is not given', async () => {
    const cli = await testCli({}, bare())
    cli.type('http://localhost:4010', apiKey)
    const result = await cli.run('profile', 'add', 'local')
    expect(result).toMatchObject({ exitCode: 0, stderr: '' })
    expect(result.stdout).not.toContain(apiKey)
    expect(await stored()).toMatchObject({
      profiles: { local: { baseUrl: 'http://localhost:4010', apiKey } },
    })
  })

  test.each([
    [['profile', 'add', 'work'], '', '--base-url is missing'],
    [['profile', 'add', 'work', '--base-url', 'https://a.example.com'], '', '--api-key-stdin is missing'],
    [
      ['profile', 'add', 'work', '--base-url', 'http://a.example.com', '--api-key-stdin'],
      'key',
      'is not https',
    ],
    [
      ['profile', 'add', 'a b', '--base-url', 'https://a.example.com', '--api-key-stdin'],
      'key',
      'invalid profile name',
    ],
    [
      ['profile', 'add', 'work', '--base-url', 'https://a.example.com', '--api-key-stdin'],
      ' \n',
      'the API key is empty',
    ],
    [
      ['profile', 'add', 'work', '--base-url', 'https://a.example.com', '--api-key-stdin'],
      'ключ',
      'cannot be sent',
    ],
  ])('%j with %j on stdin is wrong usage', async (argv, input, message) => {
    const cli = await testCli({}, bare())
    const result = await cli.runWith({ input }, ...argv)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain(message)
    await expect(stored()).rejects.toThrow('ENOENT')
  })

  test('does not read a key from a terminal that would show it', async () => {
    const cli = await testCli({}, bare())
    const result = await cli.runWith(
      { input: apiKey, terminal: true },
      ...['profile', 'add', 'work', '--base-url', 'https://work.example.com', '--api-key-stdin'],
    )
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain('remove --api-key-stdin to be prompted')
    await expect(stored()).rejects.toThrow('ENOENT')
  })

  test('--json is one document with a masked key', async () => {
    const cli = await testCli({ 'words.yaml': 'Rtc: Word\n<provider_1>: acme\n' }, bare())
    const { stdout } = await cli.runWith(
      { input: apiKey },
      ...['profile', 'add', 'work', '--base-url', 'https://work.example.com', '--api-key-stdin'],
      ...['--vocabulary', 'words.yaml', '--json'],
    )
    expect(JSON.parse(stdout)).toEqual({
      name: 'work',
      baseUrl: 'https://work.example.com',
      apiKey: '****hown',
      vocabulary: { Rtc: 'Word', '<provider_1>': 'acme' },
      inUse: true,
      replaced: false,
    })
  })

  test('rejects an invalid vocabulary with its position and saves nothing', async () => {
    const cli = await testCli({ 'words.yaml': 'Rtc: Word\nprovider: acme\n' }, bare())
    const result = await cli.runWith(
      { input: apiKey },
      ...['profile', 'add', 'work', '--base-url', 'https://work.example.com', '--api-key-stdin'],
      ...['--vocabulary', 'words.yaml'],
    )
    expect(result).toMatchObject({ exitCode: 3, stdout: '' })
    expect(result.stderr).toContain('words.yaml:2:1')
    await expect(stored()).rejects.toThrow('ENOENT')
  })

  test('replaces only with the flag or after a prompt, and keeps the vocabulary of the same service', async () => {
    await saveProfile({ CALLYARD_CONFIG_DIR: config }, 'work', {
      baseUrl: 'https://work.example.com',
      apiKey,
      vocabulary: { Rtc: 'Word' },
    })
    const add = ['profile', 'add', 'work', '--base-url', 'https://work.example.com', '--api-key-stdin']
    const cli = await testCli({}, bare())
    const refused = await cli.runWith({ input: 'new-key' }, ...add)
    expect(refused).toMatchObject({ exitCode: 2 })
    expect(refused.stderr).toContain('--yes')

    cli.type('n')
    expect(await cli.runWith({ input: 'new-key' }, ...add)).toMatchObject({ exitCode: 130, stdout: '' })
    expect(await stored()).toMatchObject({ profiles: { work: { apiKey } } })

    expect(await cli.runWith({ input: 'new-key' }, ...add, '--yes')).toMatchObject({ exitCode: 0 })
    expect(await stored()).toMatchObject({
      profiles: { work: { apiKey: 'new-key', vocabulary: { Rtc: 'Word' } } },
    })
  })

  test('a damaged file is set aside and reported', async () => {
    await writeFile(join(config, 'config.json'), '{"profiles":')
    const cli = await testCli({}, bare())
    const result = await cli.runWith(
      { input: apiKey },
      ...['profile', 'add', 'work', '--base-url', 'https://work.example.com', '--api-key-stdin'],
    )
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toMatch(/is damaged \(not JSON\); it is kept as .*config\.damaged-\d+T\d+Z\.json/)
  })
})

describe('profile list', () => {
  test('marks the one in use and masks keys', async () => {
    await twoProfiles()
    const cli = await testCli({}, bare())
    expect(await cli.run('profile', 'list')).toEqual({
      exitCode: 0,
      stdout:
        '  other  https://other.example.com/v1  ****\n* work   https://work.example.com      ****hown\n',
      stderr: '',
    })
    const { stdout } = await cli.run('profile', 'list', '--json')
    expect(JSON.parse(stdout)).toEqual({
      profiles: [
        { name: 'other', inUse: false, baseUrl: 'https://other.example.com/v1', apiKey: '****' },
        { name: 'work', inUse: true, baseUrl: 'https://work.example.com', apiKey: '****hown' },
      ],
    })
  })
})

describe('profile show', () => {
  test('shows the origin of each value', async () => {
    await twoProfiles()
    const cli = await testCli(
      { 'callyard.yaml': 'vocabulary:\n  Rtc: Word\n' },
      { env: { ...bare().env, CALLYARD_API_KEY: 'key-of-environment' } },
    )
    const { stdout } = await cli.run('profile', 'show', '--json')
    expect(JSON.parse(stdout)).toEqual({
      profile: { value: 'work', from: 'profile' },
      baseUrl: { value: 'https://work.example.com', from: 'profile' },
      apiKey: { value: '****ment', from: 'environment' },
      vocabulary: { value: { Rtc: 'Word' }, from: 'project file' },
      configFile: join(config, 'config.json'),
      projectFile: join(cli.folder, 'callyard.yaml'),
    })
    const human = await cli.run('profile', 'show', 'other')
    expect(human.stdout.split('\n').slice(0, 3)).toEqual([
      'Profile     other (--profile)',
      'Base URL    https://other.example.com/v1 (the profile)',
      'API key     ****ment (CALLYARD_API_KEY)',
    ])
  })

  test('reports that a key is held back', async () => {
    await twoProfiles()
    const cli = await testCli({ 'callyard.yaml': 'baseUrl: https://elsewhere.example.com\n' }, bare())
    const result = await cli.run('profile', 'show')
    expect(result).toMatchObject({ exitCode: 0 })
    expect(result.stderr).toContain('is not sent to https://elsewhere.example.com')
    expect(result.stdout + result.stderr).not.toContain(apiKey)
  })

  test('reports that the key of the environment is held back', async () => {
    const cli = await testCli(
      { 'callyard.yaml': 'baseUrl: https://elsewhere.example.com\n' },
      { env: { ...bare().env, CALLYARD_API_KEY: apiKey } },
    )
    const result = await cli.run('profile', 'show')
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/API key +none\n/) })
    expect(result.stderr).toContain('CALLYARD_API_KEY is not sent to https://elsewhere.example.com')
    expect(await cli.run('api', 'GET', '/x')).toMatchObject({ exitCode: 4 })
  })

  test('of a missing profile is a usage error', async () => {
    await twoProfiles()
    const cli = await testCli({}, bare())
    const result = await cli.run('profile', 'show', 'wrk')
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain('did you mean work?')
  })

  test('works where nothing is set', async () => {
    const cli = await testCli({}, bare())
    const { stdout, exitCode } = await cli.run('profile', 'show', '--json')
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ baseUrl: { value: null, from: 'none' } })
  })
})

describe('profile use and remove', () => {
  test('use', async () => {
    await twoProfiles()
    const cli = await testCli({}, bare())
    expect(await cli.run('profile', 'use', 'other')).toEqual({
      exitCode: 0,
      stdout: 'Switched to profile other\n',
      stderr: '',
    })
    expect(await stored()).toMatchObject({ current: 'other' })
    const unknown = await cli.run('profile', 'use', 'othr')
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' })
    expect(unknown.stderr).toContain('did you mean other?')
  })

  test('remove asks or accepts --yes, and prints what is next', async () => {
    await twoProfiles()
    const cli = await testCli({}, bare())
    const refused = await cli.run('profile', 'remove', 'work')
    expect(refused).toMatchObject({ exitCode: 2 })
    expect(refused.stderr).toContain('--yes')
    cli.type('n')
    expect(await cli.run('profile', 'remove', 'work')).toMatchObject({ exitCode: 130 })
    cli.type('y')
    const removed = await cli.run('profile', 'remove', 'work')
    expect(removed).toMatchObject({ exitCode: 0, stdout: 'Removed profile work\n' })
    expect(removed.stderr).toContain('callyard profile use other')
    expect(await cli.run('profile', 'remove', 'other', '--yes')).toMatchObject({ exitCode: 0 })
    expect(await stored()).toEqual({ profiles: {} })
  })
})
