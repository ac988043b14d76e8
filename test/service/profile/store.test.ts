import {
  chmod,
  chown,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { encodeText } from '../../../src/files/text/index.ts'
import { configFile } from '../../../src/lib/fs/user-folders.ts'
import { loadConf, readProfiles } from '../../../src/service/profile/index.ts'
import { storeSchema } from '../../../src/service/profile/store-schema.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const { removeProfile, saveProfile, selectProfile } = await loadConf()

let folder: string
let file: string
let env: Record<string, string>

beforeEach(async () => {
  folder = await temporaryFolder()
  file = join(folder, 'config.json')
  env = { CALLYARD_CONFIG_DIR: folder }
})

const work = { baseUrl: 'https://api.example.com', apiKey: 'key-of-work' }
const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('a missing file means no profiles', async () => {
  expect(await readProfiles(env)).toEqual({ current: undefined, profiles: {}, warnings: [] })
  expect(await readProfiles({ CALLYARD_CONFIG_DIR: join(folder, 'not', 'there') })).toMatchObject({
    profiles: {},
  })
})

test('the first profile is the one in use; another only when it is selected', async () => {
  expect(await saveProfile(env, 'work', work)).toEqual({ current: 'work', warnings: [] })
  expect(await saveProfile(env, 'other', work)).toMatchObject({ current: 'work' })
  expect(await saveProfile(env, 'sandbox', work)).toMatchObject({ current: 'work' })
  expect(await selectProfile(env, 'sandbox')).toMatchObject({ current: 'sandbox' })
  expect(await saveProfile(env, 'work', { ...work, vocabulary: { Rtc: 'Word' } })).toMatchObject({
    before: work,
  })
  expect(await readProfiles(env)).toEqual({
    current: 'sandbox',
    profiles: { work: { ...work, vocabulary: { Rtc: 'Word' } }, other: work, sandbox: work },
    warnings: [],
  })
})

test('removing the one in use leaves none in use, and the next one saved is', async () => {
  await saveProfile(env, 'work', work)
  await saveProfile(env, 'other', work)
  expect(await removeProfile(env, 'work')).toMatchObject({ current: undefined })
  expect(await readProfiles(env)).toMatchObject({ current: undefined, profiles: { other: work } })
  expect(await saveProfile(env, 'third', work)).toMatchObject({ current: 'third' })
})

test('suggests a similar name for a missing one', async () => {
  await saveProfile(env, 'staging', work)
  await expect(selectProfile(env, 'stagin')).rejects.toMatchObject({
    kind: 'usage',
    code: 'no-such-profile',
    details: { near: 'staging' },
  })
  await expect(removeProfile(env, 'constructor')).rejects.toMatchObject({ kind: 'usage' })
})

test.each(['', '__proto__', 'a b', '../x', '-x', 'x'.repeat(65), 'ü'])('%j is not a name', async name => {
  await expect(saveProfile(env, name, work)).rejects.toMatchObject({ kind: 'usage' })
  expect(await readdir(folder)).toEqual([])
})

test('only the owner can read it, enforced at each save', async () => {
  await saveProfile(env, 'work', work)
  expect([await mode(folder), await mode(file)]).toEqual(['700', '600'])
  await chmod(folder, 0o755)
  await chmod(file, 0o644)
  await saveProfile(env, 'other', work)
  expect([await mode(folder), await mode(file)]).toEqual(['700', '600'])
})

test.skipIf(process.getuid?.() !== 0)('root leaves the file to its owner', async () => {
  await saveProfile(env, 'work', work)
  await chown(file, 12_345, 12_345)
  await chmod(file, 0o644)
  await saveProfile(env, 'other', work)
  expect(await stat(file)).toMatchObject({ uid: 12_345, gid: 12_345 })
  expect(await mode(file)).toBe('600')
})

test('keeps a file that links elsewhere', async () => {
  const place = join(folder, 'elsewhere.json')
  await saveProfile(env, 'work', work)
  await rename(file, place)
  await symlink(place, file)
  await saveProfile(env, 'other', work)
  expect(await readlink(file)).toBe(place)
  expect(Object.keys(JSON.parse(await readFile(place, 'utf8')).profiles)).toEqual(['work', 'other'])
})

test('saves at the same time lose none', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `profile-${index}`)
  await Promise.all(names.map(name => saveProfile(env, name, work)))
  const { profiles } = await readProfiles(env)
  expect(Object.keys(profiles).sort()).toEqual(names.sort())
  expect(await readdir(folder)).toEqual(['config.json'])
})

test.each([
  ['config.json links to the same file', async (other: string) => symlink(file, join(other, 'config.json'))],
  [
    'is a link to the same folder',
    async (other: string) => {
      await rm(other, { recursive: true })
      await symlink(folder, other)
    },
  ],
])('saves at the same time through two folders, the second of which %s, lose none', async (_, link) => {
  const shared = await temporaryFolder()
  await saveProfile(env, 'first', work)
  await link(shared)
  const folders = [folder, shared]
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`)
  await Promise.all(
    names.map((name, index) => saveProfile({ CALLYARD_CONFIG_DIR: folders[index % 2] }, name, work)),
  )
  expect(Object.keys((await readProfiles(env)).profiles).sort()).toEqual(['first', ...names].sort())
  expect((await readdir(folder)).filter(name => name !== 'config.json')).toEqual([])
})

test('a temporary file that a killed run left is removed by the next save: it holds keys', async () => {
  await saveProfile(env, 'work', work)
  await writeFile(join(folder, 'config.json.tmp-1234567890abcdef'), await readFile(file))
  await selectProfile(env, 'work')
  expect(await readdir(folder)).toEqual(['config.json'])
})

test('field names may contain dots without being paths', async () => {
  await writeFile(file, JSON.stringify({ 'later.field': 1, profiles: { 'work.eu': work } }))
  await saveProfile(env, 'work.us', work)
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    'later.field': 1,
    current: 'work.us',
    profiles: { 'work.eu': work, 'work.us': work },
  })
})

test('keeps what a later version wrote', async () => {
  await writeFile(file, JSON.stringify({ later: { a: 1 }, profiles: { work: { ...work, region: 'x' } } }))
  await saveProfile(env, 'other', work)
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    later: { a: 1 },
    profiles: { work: { region: 'x' }, other: work },
  })
})

test.each(['utf-8', 'utf-16le'] as const)(
  'a file that an editor saved in %s with a byte order mark is read',
  async encoding => {
    const profile = { baseUrl: 'https://api.example.com', apiKey: 'key-of-the-test' }
    await writeFile(file, encodeText(`\ufeff${JSON.stringify({ profiles: { work: profile } })}`, encoding))
    expect(await readProfiles(env)).toMatchObject({ profiles: { work: profile }, warnings: [] })
    await selectProfile(env, 'work')
    expect(await readProfiles(env)).toMatchObject({ current: 'work', profiles: { work: profile } })
  },
)

describe.each([
  ['cut in half', '{"profiles": {"work": {"base'],
  ['of another shape', '{"profiles": {"work": "https://api.example.com"}}'],
  ['empty', ''],
  ['a list', '[]'],
])('file that is %s', (_, content) => {
  test('is reported when it is read, and left where it is', async () => {
    await writeFile(file, content)
    const { profiles, warnings } = await readProfiles(env)
    expect(profiles).toEqual({})
    expect(warnings).toEqual([expect.stringContaining(`${file} is damaged`)])
    expect(await readFile(file, 'utf8')).toBe(content)
  })

  test('is set aside by the next save, not lost', async () => {
    for (const aside of ['config.damaged-20260102T030405Z.json', 'config.damaged-20260102T030405Z-2.json']) {
      await writeFile(file, content, { mode: 0o644 })
      await utimes(file, new Date('2026-01-02T03:04:05Z'), new Date('2026-01-02T03:04:05Z'))
      const { warnings } = await saveProfile(env, 'work', work)
      expect(warnings).toEqual([expect.stringContaining(`it is kept as ${join(folder, aside)}`)])
      expect(await readFile(join(folder, aside), 'utf8')).toBe(content)
      expect(await mode(join(folder, aside))).toBe('600')
      expect(await readProfiles(env)).toEqual({ current: 'work', profiles: { work }, warnings: [] })
    }
  })

  test('is not touched by a change that fails', async () => {
    await writeFile(file, content)
    await expect(selectProfile(env, 'work')).rejects.toMatchObject({ kind: 'usage' })
    expect(await readFile(file, 'utf8')).toBe(content)
  })
})

test('reads any file as its schema does', async () => {
  const words = fc.oneof(fc.string(), fc.jsonValue())
  const profile = fc.oneof(
    fc.record({ baseUrl: fc.string(), apiKey: fc.string() }),
    fc.record({ baseUrl: words, apiKey: words, vocabulary: words, more: words }, { requiredKeys: [] }),
  )
  const profiles = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), profile)
  const store = fc.record({ current: words, profiles, later: words }, { requiredKeys: [] })
  const sound = { current: 'work', profiles: { work } }
  await fc.assert(
    fc.asyncProperty(store, async value => {
      const text = JSON.stringify(value)
      await writeFile(file, text)
      const { data = { profiles: {} }, success } = storeSchema.safeParse(JSON.parse(text))
      const { current, profiles: read, warnings } = await readProfiles(env)
      expect({ current, profiles: read }).toEqual({ current: data.current, profiles: data.profiles })
      expect(warnings).toHaveLength(success ? 0 : 1)
    }),
    { examples: [[sound]] },
  )
})

test('a folder that cannot be one is a usage error', async () => {
  await writeFile(join(folder, 'taken'), '')
  await expect(saveProfile({ CALLYARD_CONFIG_DIR: join(folder, 'taken') }, 'a', work)).rejects.toMatchObject({
    kind: 'usage',
    hint: expect.stringContaining('CALLYARD_CONFIG_DIR'),
  })
})

test('without CALLYARD_CONFIG_DIR the folder is the platform’s', () => {
  expect(dirname(configFile({ CALLYARD_CONFIG_DIR: '', XDG_CONFIG_HOME: '/xdg' }))).toMatch(/callyard$/)
})
