import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { loadConf, requireConnection, resolveSettings } from '../../../src/service/profile/index.ts'
import { errorOf } from '../../helpers/errors.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const { saveProfile } = await loadConf()

let folder: string
let cwd: string
let env: Record<string, string>

beforeEach(async () => {
  folder = await temporaryFolder()
  cwd = join(folder, 'project', 'deep')
  await mkdir(cwd, { recursive: true })
  env = { CALLYARD_CONFIG_DIR: join(folder, 'config') }
})

const project = (text: string) => writeFile(join(folder, 'project', 'callyard.yaml'), text)
const resolve = (options: { profile?: string; baseUrl?: string } = {}) =>
  resolveSettings({ cwd, env, options })
const connect = async (options: { profile?: string; baseUrl?: string } = {}) =>
  requireConnection(await resolve(options))
const refusal = (options: { profile?: string; baseUrl?: string } = {}) => errorOf(connect(options))

async function twoProfiles(): Promise<void> {
  await saveProfile(env, 'work', { baseUrl: 'https://work.example.com', apiKey: 'key-of-work' })
  await saveProfile(env, 'other', { baseUrl: 'https://other.example.com', apiKey: 'key-of-other' })
}

test('prints what to do without any arguments', async () => {
  expect(await resolve()).toMatchObject({
    profile: { from: 'none' },
    baseUrl: { from: 'none' },
    apiKey: { from: 'none' },
  })
  expect(await refusal()).toMatchObject({ kind: 'usage', code: 'no-base-url' })
  expect(await refusal({ baseUrl: 'https://a.example.com' })).toMatchObject({
    kind: 'unauthorized',
    code: 'no-api-key',
  })
})

describe('precedence', () => {
  test('flag, then environment, then project file, then profile', async () => {
    await twoProfiles()
    expect(await resolve()).toMatchObject({
      profile: { value: 'work', from: 'profile' },
      baseUrl: { value: 'https://work.example.com', from: 'profile' },
      apiKey: { value: 'key-of-work', from: 'profile' },
    })
    await project('profile: other\n')
    expect(await resolve()).toMatchObject({
      profile: { value: 'other', from: 'project file' },
      apiKey: { value: 'key-of-other', from: 'profile' },
    })
    env.CALLYARD_PROFILE = 'work'
    expect(await resolve()).toMatchObject({ profile: { value: 'work', from: 'environment' } })
    expect(await resolve({ profile: 'other' })).toMatchObject({ profile: { value: 'other', from: 'flag' } })

    env.CALLYARD_API_KEY = 'key-of-environment'
    await project('baseUrl: https://project.example.com\n')
    expect(await resolve()).toMatchObject({
      baseUrl: { value: 'https://project.example.com', from: 'project file' },
    })
    env.CALLYARD_BASE_URL = 'https://environment.example.com'
    expect(await connect()).toMatchObject({ baseUrl: 'https://environment.example.com' })
    expect(await connect({ baseUrl: 'https://flag.example.com' })).toMatchObject({
      baseUrl: 'https://flag.example.com',
    })
  })

  test('an empty variable is unset', async () => {
    await twoProfiles()
    Object.assign(env, { CALLYARD_PROFILE: '', CALLYARD_BASE_URL: '', CALLYARD_API_KEY: '' })
    expect(await connect()).toEqual({ baseUrl: 'https://work.example.com', apiKey: 'key-of-work' })
  })

  test('vocabulary: the project file’s, else the profile’s', async () => {
    await saveProfile(env, 'work', {
      baseUrl: 'https://a.example.com',
      apiKey: 'k',
      vocabulary: { Rtc: 'Kept' },
    })
    expect(await resolve()).toMatchObject({ vocabulary: { value: { Rtc: 'Kept' }, from: 'profile' } })
    await project('vocabulary:\n  Rtc: Shared\n')
    expect(await resolve()).toMatchObject({ vocabulary: { value: { Rtc: 'Shared' }, from: 'project file' } })
  })
})

describe('a key of a profile goes only to that profile’s origin', () => {
  test.each([
    ['flag', () => ({ baseUrl: 'https://elsewhere.example.com' })],
    [
      'environment',
      () => {
        env.CALLYARD_BASE_URL = 'https://elsewhere.example.com'
        return {}
      },
    ],
  ])('%s', async (_, set) => {
    await twoProfiles()
    const options = set()
    expect(await resolve(options)).toMatchObject({ apiKey: { value: undefined, from: 'none' } })
    expect(await refusal(options)).toMatchObject({
      kind: 'unauthorized',
      code: 'profile-key-withheld',
      message: expect.stringMatching(
        /^the key of profile work belongs to https:\/\/work\.example\.com and is not sent to https:\/\/elsewhere\.example\.com \(base URL from (the command line|CALLYARD_BASE_URL)\)$/,
      ),
      details: {
        profile: 'work',
        keyOrigin: 'https://work.example.com',
        origin: 'https://elsewhere.example.com',
      },
    })
  })

  test('project file', async () => {
    await twoProfiles()
    await project('baseUrl: https://elsewhere.example.com\n')
    expect(await refusal()).toMatchObject({
      kind: 'unauthorized',
      details: { from: 'project file' },
    })
  })

  test('another port or scheme is another origin; another path is not', async () => {
    await twoProfiles()
    expect(await refusal({ baseUrl: 'https://work.example.com:8443' })).toMatchObject({
      kind: 'unauthorized',
    })
    expect(await connect({ baseUrl: 'https://work.example.com/v2/' })).toMatchObject({
      apiKey: 'key-of-work',
    })
  })
})

describe('a missing profile', () => {
  test('is a usage error with a suggestion if set by flag or environment, once a connection is needed', async () => {
    await twoProfiles()
    expect(await refusal({ profile: 'wrk' })).toMatchObject({
      kind: 'usage',
      code: 'no-such-profile',
      message: 'profile wrk not found',
      hint: 'did you mean work?',
      details: { profile: 'wrk', near: 'work' },
    })
    env.CALLYARD_PROFILE = 'othr'
    Object.assign(env, { CALLYARD_BASE_URL: 'https://a.example.com', CALLYARD_API_KEY: 'key-of-ci' })
    expect(await refusal()).toMatchObject({ kind: 'usage', details: { near: 'other' } })
  })

  test('does not matter if only the vocabulary is needed', async () => {
    await project('vocabulary:\n  Rtc: Shared\n')
    expect(await resolve({ profile: 'sandbox' })).toMatchObject({
      vocabulary: { value: { Rtc: 'Shared' }, from: 'project file' },
    })
  })

  test('from a project file matters only if something is missing', async () => {
    await project('profile: staging\nbaseUrl: https://staging.example.com\n')
    expect(await refusal()).toMatchObject({
      kind: 'unauthorized',
      code: 'profile-not-kept',
      message: 'callyard.yaml uses profile staging, which does not exist on this machine',
      details: { profile: 'staging', from: 'project file' },
    })
    env.CALLYARD_API_KEY = 'key-of-environment'
    env.CALLYARD_BASE_URL = 'https://staging.example.com'
    expect(await connect()).toMatchObject({ apiKey: 'key-of-environment' })
  })
})

describe('the key of the environment and the base URL of a project file', () => {
  beforeEach(async () => {
    env.CALLYARD_API_KEY = 'key-of-environment'
    await project('baseUrl: https://project.example.com/v1\n')
  })

  test('do not meet by themselves: anyone may have written that file', async () => {
    expect(await resolve()).toMatchObject({ apiKey: { value: undefined, from: 'none' } })
    expect(await refusal()).toMatchObject({
      kind: 'unauthorized',
      code: 'environment-key-withheld',
      message: expect.stringContaining('https://project.example.com (base URL from callyard.yaml)'),
      details: { origin: 'https://project.example.com', from: 'project file', outcome: 'not-sent' },
    })
    await saveProfile(env, 'work', { baseUrl: 'https://work.example.com', apiKey: 'key-of-work' })
    expect(await refusal()).toMatchObject({ kind: 'unauthorized' })
  })

  test('match if the environment, the flag or the profile names that service too', async () => {
    const apiKey = 'key-of-environment'
    expect(await connect({ baseUrl: 'https://project.example.com' })).toMatchObject({ apiKey })
    await saveProfile(env, 'work', { baseUrl: 'https://project.example.com', apiKey: 'key-of-work' })
    expect(await connect()).toEqual({ baseUrl: 'https://project.example.com/v1', apiKey })
    env.CALLYARD_BASE_URL = 'https://project.example.com/v2'
    expect(await connect()).toMatchObject({ apiKey })
  })

  test('meet on this machine', async () => {
    await project('baseUrl: http://localhost:4010\n')
    expect(await connect()).toEqual({ baseUrl: 'http://localhost:4010', apiKey: 'key-of-environment' })
  })
})

describe('finds a project file in parent folders', () => {
  const found = async () => (await resolve()).project?.file
  const file = () => join(folder, 'project', 'callyard.yaml')

  test('up to the folder with .git, which is included', async () => {
    await project('profile: work\n')
    await mkdir(join(folder, 'project', '.git'))
    expect(await found()).toBe(file())
  })

  test('not above it, also where .git is a file', async () => {
    await project('profile: work\n')
    await writeFile(join(cwd, '.git'), 'gitdir: elsewhere\n')
    expect(await found()).toBeUndefined()
  })

  test('not above the home folder, which is included', async () => {
    await project('profile: work\n')
    env.HOME = join(folder, 'project')
    expect(await found()).toBe(file())
    env.HOME = cwd
    expect(await found()).toBeUndefined()
  })
})

test('a project file that does not pass is reported with its position', async () => {
  await project('profil: work\n')
  await expect(resolve()).rejects.toMatchObject({
    kind: 'invalid',
    diagnostics: [{ code: 'unknown-key', position: { line: 1, column: 1 } }],
  })
})

test('a damaged config file is reported', async () => {
  await mkdir(join(folder, 'config'))
  await writeFile(join(folder, 'config', 'config.json'), '{')
  expect((await resolve()).warnings).toEqual([expect.stringContaining('is damaged')])
})
