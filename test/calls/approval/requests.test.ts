import { readdir, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRequests, readCode, validMs } from '../../../src/calls/approval/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { noPause } from '../../helpers/real-clock.ts'

const asked = {
  action: { action: 'call', from: '+12025550100', to: '+12025550123' },
  cwd: '/project',
  profile: null,
  service: 'https://calls.example.test',
  digest: 'digest',
} as const

async function openStore() {
  const folder = await temporaryFolder()
  let now = Date.parse('2026-01-05T12:00:00Z')
  const clock = { now: () => now, sleep: (_: number, signal?: AbortSignal) => noPause(signal) }
  const store = openRequests({ env: { CALLYARD_CONFIG_DIR: folder }, clock })
  const pass = (ms: number) => {
    now += ms
  }
  return { store, folder: join(folder, 'approvals'), pass }
}

test('a request has a short code and a private file', async () => {
  const { store, folder } = await openStore()
  const request = await store.add(asked)
  expect(readCode(request.code.toLowerCase())).toBe(request.code)
  expect(request.code).not.toMatch(/[01ILOSB]/)
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(await store.find(request.code)).toEqual(request)
})

test('expires after ten minutes, and at a clock before its creation', async () => {
  const { store, pass } = await openStore()
  const request = await store.add(asked)
  pass(validMs - 1)
  expect(() => store.assertPending(request)).not.toThrow()
  pass(1)
  expect(() => store.assertPending(request)).toThrow(expect.objectContaining({ code: 'request-expired' }))
  pass(-2 * validMs)
  expect(store.statusOf(request)).toBe('expired')
})

test('of many claims at once exactly one succeeds', async () => {
  const { store } = await openStore()
  const request = await store.add(asked)
  const claims = await Promise.allSettled(Array.from({ length: 20 }, () => store.claim(request)))
  expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(store.statusOf(request)).toBe('running')
  await store.finish(request, { decision: 'approved', exitCode: 0, result: { sid: 'CC-1' } })
  expect(store.statusOf(request)).toBe('done')
  await expect(store.claim(request)).rejects.toMatchObject({ code: 'request-decided' })
})

test('a request whose process was killed stays used', async () => {
  const { store, folder } = await openStore()
  const request = await store.add(asked)
  const dead = { pid: 2 ** 22 + 1, host: hostname() }
  await writeFile(join(folder, `${request.code}.claim.json`), JSON.stringify(dead))
  expect(store.statusOf(request)).toBe('interrupted')
  await expect(store.claim(request)).rejects.toMatchObject({ code: 'request-decided' })
})

test('requests of earlier days are removed when one is added', async () => {
  const { store, pass } = await openStore()
  const first = await store.add(asked)
  await store.claim(first)
  await store.finish(first, { decision: 'rejected', exitCode: null })
  pass(25 * 60 * 60_000)
  const second = await store.add(asked)
  expect((await store.list()).map(({ request }) => request.code)).toEqual([second.code])
})

test.each([
  'not JSON',
  '{}',
  JSON.stringify({ version: 1, ...asked, code: 'ABCD', createdAt: 'now' }),
  JSON.stringify({
    version: 1,
    ...asked,
    code: 'ABCD',
    createdAt: 0,
    action: { action: 'call', to: '+1', exec: 'rm' },
  }),
])('a file that is not a request is not one: %s', async content => {
  const { store, folder } = await openStore()
  await store.add(asked)
  await writeFile(join(folder, 'ABCD.request.json'), content)
  await expect(store.find('ABCD')).rejects.toMatchObject({ code: 'request-not-found' })
})
