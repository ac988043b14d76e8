import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import manifest from '../../../../package.json' with { type: 'json' }
import * as assess from '../../../../src/cli/commands/doctor/checks.ts'
import type { Settings } from '../../../../src/service/profile/index.ts'

const settings = (given: Partial<Settings> = {}): Settings => ({
  profile: { value: 'work', from: 'profile' },
  baseUrl: { value: 'https://api.example.com', from: 'profile' },
  apiKey: { value: 'k-1234567890', from: 'environment' },
  vocabulary: { value: {}, from: 'none' },
  ...given,
})
const none = { value: undefined, from: 'none' } as const
const words = { message: 'withheld', hint: 'use another one' }

test('the minimum version of Node is that of the package', () => {
  expect(manifest.engines.node).toBe(`>=${assess.minimumNode}`)
})

test.each([
  ['18.20.0', 'problem'],
  ['20.9.0', 'problem'],
  ['20.18.1', 'ok'],
  ['26.0.0', 'ok'],
])('Node %s is %s', (node, status) => {
  expect(assess.assessNode({ node, system: 'linux x64' })).toMatchObject({ status })
})

describe('the config folder', () => {
  const access = { isWritable: true, isOwn: true, fileMode: 0o100600, damage: [] }
  test.each([
    ['does not exist yet', undefined, 'ok'],
    ['is private', access, 'ok'],
    ['has no file yet', { ...access, fileMode: undefined }, 'ok'],
    ['lets a group read the keys', { ...access, fileMode: 0o100640 }, 'problem'],
    ['lets others write the keys', { ...access, fileMode: 0o100602 }, 'problem'],
    ['is read-only', { ...access, isWritable: false }, 'problem'],
    ['is damaged', { ...access, damage: ['config.json is damaged'] }, 'problem'],
    ['belongs to another user', { ...access, isOwn: false }, 'warning'],
  ] as const)('%s', (_, access, status) => {
    const found = assess.assessConfig({ folder: '/home/ada/.config/callyard', access })
    expect(found.status).toBe(status)
    expect(found.remedy === undefined).toBe(status === 'ok')
  })
})

test('settings name the origin of each value', () => {
  const found = assess.assessSettings(settings({ baseUrl: { value: 'https://a.test', from: 'flag' } }), words)
  expect(found).toEqual(assess.ok('profile work (profile), base URL https://a.test (flag)'))
  expect(assess.assessSettings(settings({ baseUrl: none }), words).status).toBe('warning')
})

test('no finding about the key contains a part of it', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z0-9]{8,40}$/), value => {
      const found = assess.assessKey(settings({ apiKey: { value, from: 'environment' } }), words)
      expect(found).toEqual(assess.ok('present (environment)'))
    }),
  )
})

test('a missing key is a problem, unless there is no service', () => {
  expect(assess.assessKey(settings({ apiKey: none }), words).status).toBe('problem')
  expect(assess.assessKey(settings({ apiKey: none, baseUrl: none }), words).status).toBe('skipped')
  const missing = new Error('withheld') as never
  expect(assess.assessKey(settings({ apiKey: none, missing }), words)).toEqual(assess.problem(words))
})

describe('the service', () => {
  const now = Date.parse('2026-01-02T12:00:00Z')
  const facts = { status: 404, time: now, proxy: undefined, isSandbox: false }
  const found = (given: Partial<typeof facts | { proxy: string; time: undefined }>) =>
    assess.assessService('https://api.example.com', { ...facts, ...given }, now)

  test.each([
    [{}, 'ok', 'TLS ok'],
    [{ time: undefined }, 'ok', 'TLS ok'],
    [{ proxy: 'HTTPS_PROXY' }, 'ok', 'through HTTPS_PROXY'],
    [{ isSandbox: true }, 'ok', 'a sandbox'],
    [{ status: 503 }, 'warning', '503'],
    [{ time: now - 10 * 60_000 }, 'warning', '10 min ahead of'],
    [{ time: now + 7 * 60_000 }, 'warning', '7 min behind'],
    [{ time: now + 60_000 }, 'ok', 'TLS ok'],
  ])('%j', (given, status, words) => {
    expect(found(given)).toMatchObject({ status, message: expect.stringContaining(words) })
  })
})

describe('a port in use', () => {
  const owner = (...argv: string[]) =>
    assess.assessPort(4011, 'EADDRINUSE', { pid: 7, argv }).message.replace('4011 is in use by ', '')
  test('is named by program, without its arguments', () => {
    expect(owner('/usr/bin/nginx', '-g', 's3cret')).toBe('nginx (pid 7)')
    expect(owner('/usr/bin/node', '/opt/callyard/bin/callyard.js', 'webhook', 'tail', '--to', 'x')).toBe(
      'callyard webhook tail (pid 7)',
    )
    expect(owner('callyard', '--header', 'x')).toBe('callyard (pid 7)')
  })
  test('of an unknown owner, a free and a forbidden one', () => {
    expect(assess.assessPort(4011, 'EADDRINUSE', undefined)).toMatchObject({ status: 'warning' })
    expect(assess.assessPort(4011, true, undefined)).toEqual(assess.ok('4011 is free'))
    expect(assess.assessPort(80, 'EACCES', undefined)).toMatchObject({ status: 'problem' })
  })
})

test.each([
  [assess.assessTunnel([]), 'skipped'],
  [assess.assessTunnel(['ngrok']), 'ok'],
  [assess.assessCompletion({ shell: undefined, file: undefined, state: 'missing' }), 'skipped'],
  [assess.assessCompletion({ shell: 'zsh', file: '/h/.zfunc/_callyard', state: 'current' }), 'ok'],
  [assess.assessCompletion({ shell: 'zsh', file: '/h/.zfunc/_callyard', state: 'stale' }), 'warning'],
  [assess.assessCompletion({ shell: 'powershell', file: undefined, state: 'missing' }), 'skipped'],
  [assess.assessProject({ files: 3, errors: 0, warnings: 0 }), 'ok'],
  [assess.assessProject({ files: 3, errors: 0, warnings: 1 }), 'warning'],
  [assess.assessProject({ files: 3, errors: 2, warnings: 1 }), 'problem'],
  [assess.assessLockfile(undefined, false), 'ok'],
  [assess.assessLockfile(['production'], false), 'ok'],
  [assess.assessLockfile(['production'], true), 'warning'],
  [assess.assessDisk(undefined), 'skipped'],
  [assess.assessDisk(1024), 'problem'],
  [assess.assessDisk(100 * 1024 ** 2), 'warning'],
  [assess.assessDisk(1024 ** 4), 'ok'],
])('%j is %s', (found, status) => {
  expect(found.status).toBe(status)
  expect(found.remedy === undefined).toBe(status === 'ok' || found.message.startsWith('the free space'))
})
