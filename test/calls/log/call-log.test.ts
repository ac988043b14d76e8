import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LoggedCall, logCall, pruneCallLog, readCallLog } from '../../../src/calls/log/index.ts'
import { CallyardError } from '../../../src/lib/error.ts'
import { errorOf } from '../../helpers/errors.ts'
import { runs } from '../../helpers/every-case.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { realClock } from '../../helpers/real-clock.ts'

const day = 86_400_000
const start = Date.parse('2026-03-01T10:00:00Z')

async function callLog() {
  const folder = await temporaryFolder()
  const env = { CALLYARD_CONFIG_DIR: join(folder, 'config') }
  const file = join(folder, 'config', 'calls.ndjson')
  let now = start
  const clock = { ...realClock, now: () => now }
  return {
    file,
    deps: { env, clock },
    read: () => readCallLog(env),
    pass(milliseconds: number) {
      now += milliseconds
    },
    place: (to = '+12025550123') => logCall(callTo(to), { env, clock }),
  }
}

function callTo(to: string) {
  return {
    ...{ profile: 'work', service: 'https://api.example.com', from: '+12025550100', to },
    ...{ assistant: 'front-desk', variables: ['name'], recording: null },
  }
}

test('a call is logged before it is placed, and then with its id, control URL and outcome', async () => {
  const { place, read, file } = await callLog()
  const entry = await place()
  const [before] = (await read()).calls
  expect(before).toMatchObject({ ...callTo('+12025550123'), status: 'unknown', id: null })
  expect(before?.at).toBe('2026-03-01T10:00:00.000Z')
  const monitor = { controlUrl: 'https://api.example.com/calls/CC-1/control' }
  await entry.placed({ id: 'CC-1', status: 'placed', response: { monitor } })
  expect((await read()).calls).toMatchObject([{ id: 'CC-1', status: 'placed', ...monitor }])
  await entry.ended({ outcome: 'answered', seconds: 65, endedBy: 'user' })
  expect((await read()).calls).toMatchObject([{ status: 'answered', seconds: 65, endedBy: 'user' }])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a call without times of its end has no duration', async () => {
  const { place, read } = await callLog()
  const entry = await place()
  await entry.placed({ id: 'CC-1', status: 'placed', response: {} })
  await entry.ended({ outcome: 'busy', seconds: null, endedBy: null })
  expect((await read()).calls).toMatchObject([{ status: 'busy', seconds: null, controlUrl: null }])
})

test.each([
  ['not-placed', new CallyardError('refused', 'the service refused it', { details: { outcome: 'refused' } })],
  ['unknown', new CallyardError('unreachable', 'no response', { details: { outcome: 'unknown' } })],
  ['unknown', new Error('a bug')],
])('a failed request is %s', async (status, error) => {
  const { place, read } = await callLog()
  const entry = await place()
  await entry.failed(error)
  expect((await read()).calls).toMatchObject([{ status, reason: error.message, id: null }])
})

test('calls that are placed at the same time are all in the log', async () => {
  const { place, read } = await callLog()
  const numbers = Array.from({ length: 20 }, (_, index) => `+120255501${String(index).padStart(2, '0')}`)
  await Promise.all(
    numbers.map(async to => {
      const entry = await place(to)
      await entry.placed({ id: `CC-${to}`, status: 'placed', response: {} })
    }),
  )
  const { calls, unreadable } = await read()
  expect(calls.map(({ to }) => to).sort()).toEqual(numbers)
  expect(calls.every(({ status, id, to }) => status === 'placed' && id === `CC-${to}`)).toBe(true)
  expect(unreadable).toBe(0)
})

test('a line that a killed process left incomplete costs no other line', async () => {
  const { place, read, file } = await callLog()
  await place('+12025550101')
  const text = await readFile(file, 'utf8')
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: text.length - 2 }), async length => {
      await writeFile(file, text + text.slice(0, length))
      await place('+12025550102')
      const { calls, unreadable } = await read()
      expect(calls.map(({ to }) => to)).toEqual(['+12025550101', '+12025550102'])
      expect(unreadable).toBe(0)
    }),
    { numRuns: runs(20) },
  )
})

test('lines of a newer version are counted and skipped', async () => {
  const { place, read, file } = await callLog()
  await place()
  await appendFile(file, '{"step":"transferred","key":"k"}\nnot JSON\n\n')
  expect(await read()).toMatchObject({ calls: [{ status: 'unknown' }], unreadable: 2 })
})

test('pruning removes old calls with all their lines, and keeps the others', async () => {
  const { place, read, file, pass, deps } = await callLog()
  const old = await place('+12025550101')
  pass(2 * day)
  // The outcome is recent; the call is not.
  await old.placed({ id: 'CC-old', status: 'placed', response: {} })
  const recent = await place('+12025550102')
  await recent.placed({ id: 'CC-recent', status: 'placed', response: {} })
  await appendFile(file, 'not JSON\n')
  expect(await pruneCallLog(start + day, deps)).toEqual({ removed: 1, kept: 1 })
  const { calls, unreadable } = await read()
  expect(calls.map(({ id }: LoggedCall) => id)).toEqual(['CC-recent'])
  expect(unreadable).toBe(0)
  await old.ended({ outcome: 'answered', seconds: 65, endedBy: 'user' })
  expect((await read()).calls).toHaveLength(1)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('without a log there are no calls, and pruning creates none', async () => {
  const { read, file, deps } = await callLog()
  expect(await read()).toEqual({ calls: [], decisions: [], unreadable: 0 })
  expect(await pruneCallLog(start, deps)).toEqual({ removed: 0, kept: 0 })
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

test('a log that cannot be used names its path and the reason', async () => {
  const { place, read, file } = await callLog()
  await mkdir(file, { recursive: true })
  for (const use of [read, place])
    expect(await errorOf(use())).toMatchObject({ kind: 'usage', message: expect.stringContaining(file) })
})
