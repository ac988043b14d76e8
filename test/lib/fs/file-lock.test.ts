import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { CallwrightError } from '../../../src/lib/error.ts'
import { lockFile } from '../../../src/lib/fs/file-lock.ts'
import { realClock } from '../../helpers/real-clock.ts'

const dead = { pid: 2 ** 22 + 1, host: hostname() }
let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callwright-lock-'))
  path = join(folder, 'file')
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
})

function lock(clock = realClock) {
  return lockFile(path, {
    clock,
    inUse: holder => new CallwrightError('conflict', `in use by ${holder?.pid}`),
    cannotLock: error => new CallwrightError('usage', `cannot lock: ${String(error)}`),
  })
}

/** As a killed process leaves it: by itself, or having taken over from another one that was killed. */
async function leaveDead(token: string, place = `${path}.lock`) {
  await writeFile(place, JSON.stringify({ ...dead, token }))
  await mkdir(`${path}.lock.${token}.alive`)
}

test.each([
  ['free', async () => {}],
  ['of a dead process', () => leaveDead('a')],
  [
    'of a dead process that took it over from a dead one',
    async () => {
      await leaveDead('a')
      await leaveDead('b', `${path}.lock.a`)
    },
  ],
])('many at once for a lock that is %s: never two hold it', async (_, before) => {
  for (let round = 0; round < 40; round += 1) {
    await before()
    let holding = 0
    let most = 0
    let won = 0
    const attempt = async () => {
      const held = await lock().catch(error => {
        expect(error).toMatchObject({ kind: 'conflict' })
      })
      if (held === undefined) return
      won += 1
      holding += 1
      most = Math.max(most, holding)
      await held.assertHeld()
      await readdir(folder)
      holding -= 1
      await held.release()
    }
    // Two after another each, so that some meet a lock that is just being released.
    await Promise.all(Array.from({ length: 6 }, () => attempt().then(attempt)))
    expect(most).toBe(1)
    expect(won).toBeGreaterThan(0)
    expect(await readdir(folder)).toEqual([])
  }
})

test('one who read a dead lock, and comes after another has taken it over and released it, disturbs no holder', async () => {
  await leaveDead('a')
  await writeFile(`${path}.lock.a`, '')
  let first: Awaited<ReturnType<typeof lock>> | undefined
  // The late one waits for the name of a holder, and goes on when all has changed.
  const sleep = async () => {
    if (first !== undefined) return
    await rm(`${path}.lock.a`, { force: true })
    first = await lock()
    expect(await readFile(`${path}.lock.a`, 'utf8')).toContain(String(process.pid))
  }
  await expect(lock({ now: () => 0, sleep })).rejects.toMatchObject({ kind: 'conflict' })
  await first?.assertHeld()
  await first?.release()
  expect(await readdir(folder)).toEqual([])
})

test('a holder that another one took for dead notices it, and leaves the lock to that one', async () => {
  const first = await lock()
  await rm(join(folder, (await readdir(folder)).find(name => name.endsWith('.alive')) ?? ''), {
    recursive: true,
  })
  const second = await lock()
  await expect(first.assertHeld()).rejects.toMatchObject({ kind: 'conflict' })
  await first.release()
  await second.assertHeld()
  await second.release()
  expect(await readdir(folder)).toEqual([])
})

test('a process of another machine holds its lock as long as it keeps it fresh', async () => {
  await writeFile(`${path}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere', token: 'a' }))
  await mkdir(`${path}.lock.a.alive`)
  await expect(lock()).rejects.toThrow('in use by 1')
  await rm(`${path}.lock.a.alive`, { recursive: true })
  await (await lock()).release()
  expect(await readdir(folder)).toEqual([])
})

test('a lock whose holder cannot be read is waited for, then taken over', async () => {
  await writeFile(`${path}.lock`, '')
  let waits = 0
  const sleep = async () => {
    waits += 1
  }
  const held = await lock({ now: () => 0, sleep })
  expect(waits).toBeGreaterThan(0)
  await held.release()
  expect(await readdir(folder)).toEqual([])
})

test('a folder that is not there is reported as such', async () => {
  path = join(folder, 'none', 'file')
  await expect(lock()).rejects.toMatchObject({ kind: 'usage' })
})
