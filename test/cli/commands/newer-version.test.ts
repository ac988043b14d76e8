import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { latestVersion, newerVersion } from '../../../src/cli/commands/newer-version.ts'
import type { Environment } from '../../../src/lib/environment.ts'
import { paint } from '../../../src/lib/text/text.ts'
import { isOlder } from '../../../src/lib/text/version.ts'
import { runs } from '../../helpers/every-case.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const hour = 60 * 60 * 1000
let cache: string
let folder: string
let started: { command: readonly string[]; cwd: string; env: Environment; stdout: string }[]
let now: number

beforeEach(async () => {
  cache = await temporaryFolder()
  folder = await temporaryFolder()
  started = []
  now = Date.now()
})

function notice(env: Environment = {}): string | undefined {
  const found = newerVersion(
    {
      env: { XDG_CACHE_HOME: cache, ...env },
      platform: 'linux',
      cwd: folder,
      clock: { now: () => now, sleep: async () => {} },
      signal: new AbortController().signal,
    },
    (command, options) => void started.push({ command, ...options }),
  )
  return found === undefined ? undefined : paint(found, { color: false })
}

/** Output of npm about a package of this repository, or of another one. */
function viewed(version: string, repository: string = manifest.repository.url): string {
  return JSON.stringify({ version, 'repository.url': repository })
}

/** Writes what npm printed at a lookup. */
async function answered(printed: string | Uint8Array, ageMs = 0): Promise<void> {
  const file = join(cache, 'callyard/latest-version.json')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, printed)
  await utimes(file, (now - ageMs) / 1000, (now - ageMs) / 1000)
}

test('asks npm once a day, detached, outside the project and without secrets', async () => {
  expect(notice({ CALLYARD_API_KEY: 'secret', PATH: '/bin' })).toBeUndefined()
  expect(started).toEqual([
    {
      command: ['npm', 'view', 'callyard', 'version', 'repository.url', '--json'],
      cwd: join(cache, 'callyard'),
      env: { XDG_CACHE_HOME: cache, PATH: '/bin', npm_config_update_notifier: 'false' },
      stdout: join(cache, 'callyard/latest-version.json'),
    },
  ])
  await answered('')
  notice()
  expect(started).toHaveLength(1)
  now += 25 * hour
  notice()
  expect(started).toHaveLength(2)
})

test('mentions a newer version once a day', async () => {
  await answered(viewed('99.0.1'))
  expect(notice()).toBe(
    `callyard 99.0.1 is available (this is ${manifest.version}): npm install --global callyard`,
  )
  expect(notice()).toBeUndefined()
  now += 23 * hour
  expect(notice()).toBeUndefined()
  now += 2 * hour
  await answered(viewed('99.0.2'))
  expect(notice()).toContain('99.0.2')
})

test('looks again if the clock was set back', async () => {
  await answered(viewed('99.0.1'), -48 * hour)
  expect(notice()).toContain('99.0.1')
  expect(started).toHaveLength(1)
})

test.each([manifest.version, '0.0.9'])('does not mention %s', async version => {
  await answered(viewed(version))
  expect(notice()).toBeUndefined()
})

test.each([
  ['from another repository', viewed('99.0.1', 'git+https://git.example.org/stranger/callyard.git')],
  ['from a repository whose URL begins with ours', viewed('99.0.1', `${manifest.repository.url}/../other`)],
  ['without a repository', '"99.0.1"\n'],
  [
    'with several repositories',
    JSON.stringify({ version: '99.0.1', 'repository.url': [manifest.repository.url] }),
  ],
])('never names a package %s', async (_, printed) => {
  await answered(printed)
  expect(notice()).toBeUndefined()
  expect(latestVersion({ XDG_CACHE_HOME: cache }, 'linux')).toBeUndefined()
})

test('knows its own repository also as the web page', async () => {
  await answered(viewed('99.0.1', manifest.repository.url.replace(/^git\+|\.git$/g, '')))
  expect(notice()).toContain('npm install --global callyard')
})

describe('is off', () => {
  test.each([
    { CI: 'true' },
    { GITHUB_ACTIONS: 'true' },
    { TF_BUILD: 'True' },
    { NO_UPDATE_NOTIFIER: '1' },
    { XDG_CACHE_HOME: '' },
  ])('with %j', async env => {
    await answered(viewed('99.0.1'), 48 * hour)
    expect(notice(env)).toBeUndefined()
    expect(started).toEqual([])
  })

  test.each(['dependencies', 'devDependencies', 'optionalDependencies'])(
    'in a project with callyard in %s, also below it',
    async list => {
      await answered(viewed('99.0.1'), 48 * hour)
      await writeFile(join(folder, 'package.json'), JSON.stringify({ [list]: { callyard: '0.1.0' } }))
      expect(notice()).toBeUndefined()
      await mkdir(join(folder, 'a/b'), { recursive: true })
      folder = join(folder, 'a/b')
      await writeFile(join(folder, 'package.json'), '{"dependencies":[')
      expect(notice()).toBeUndefined()
      expect(started).toEqual([])
    },
  )
})

test('another package.json does not turn it off', async () => {
  await answered(viewed('99.0.1'))
  await writeFile(join(folder, 'package.json'), '{ "dependencies": { "other": "1.0.0" } }')
  expect(notice()).toContain('99.0.1')
})

test('tolerates anything in the file, and never prints it', async () => {
  const printed = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('{"error":{"code":"E404"}}', '"9.9.9"', '["9.9.9"]'),
    fc.constantFrom('9.9.9-rc.1', '9.9.9 \u001b[2J', '9.9').map(version => viewed(version)),
    fc.uint8Array(),
  )
  await fc.assert(
    fc.asyncProperty(printed, async text => {
      await answered(text)
      expect(latestVersion({ XDG_CACHE_HOME: cache }, 'linux')).toBeUndefined()
      expect(notice()).toBeUndefined()
    }),
    { numRuns: runs(50) },
  )
})

test('a folder in place of its files, and a cache that cannot be written, are ignored', async () => {
  await mkdir(join(cache, 'callyard/latest-version.json'), { recursive: true })
  expect(notice()).toBeUndefined()
  await writeFile(join(folder, 'file'), '')
  expect(notice({ XDG_CACHE_HOME: join(folder, 'file') })).toBeUndefined()
  expect(await readdir(folder)).toEqual(['file'])
})

test('orders versions by numbers', () => {
  const sorted = ['0.9.10', '0.10.0', '1.0.0', '1.2.3', '1.10.0', '10.0.0']
  for (const [index, version] of sorted.entries())
    for (const [other, than] of sorted.entries()) expect(isOlder(version, than)).toBe(index < other)
})
