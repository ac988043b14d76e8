import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../../src/lib/clock.ts'
import { CallyardError } from '../../../src/lib/error.ts'
import { lockFile } from '../../../src/lib/fs/file-lock.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { realClock } from '../../helpers/real-clock.ts'

const dead = { pid: 2 ** 22 + 1, host: hostname() }
let folder: string
let path: string

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder, 'file')
})

function lock(clock: Clock = realClock, waitMs = 0) {
  return lockFile(path, {
    clock,
    waitMs,
    inUse: holder => new CallyardError('conflict', `in use by ${holder?.pid}`),
    cannotLock: error => new CallyardError('usage', `cannot lock: ${String(error)}`),
  })
}

/** State after a kill: of a single process, or of one that had taken over from another killed one. */
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
])('never grants a lock that is %s to two of many processes', async (_, before) => {
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

test('a process that read a stale lock does not disturb a holder that took it over meanwhile', async () => {
  await leaveDead('a')
  await writeFile(`${path}.lock.a`, '')
  let first: Awaited<ReturnType<typeof lock>> | undefined
  // The late one waits for the name of a holder, and continues when everything has changed.
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

/** A process of this host that runs until the end of the test, as it would name itself as a holder. */
async function startProcess(): Promise<{ readonly pid: number; readonly start: string | undefined }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  const { pid = 0 } = child
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return { pid, start: stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] }
}

async function leaveHolder(holder: object): Promise<string> {
  await writeFile(`${path}.lock`, JSON.stringify({ host: hostname(), token: 'a', ...holder }))
  const folderOfLife = `${path}.lock.a.alive`
  await mkdir(folderOfLife)
  return folderOfLife
}

/** A clock this far ahead, whose sleeps end at once; `onSleep` is what happens meanwhile. */
function clockAhead(milliseconds: number, onSleep: () => unknown = () => {}) {
  let slept = 0
  return {
    now: () => Date.now() + milliseconds,
    async sleep(time: number) {
      slept += time
      await onSleep()
    },
    get slept() {
      return slept
    },
  }
}

const hour = 3_600_000

test.skipIf(process.platform !== 'linux').each([0, 30_000, hour, -hour])(
  'a running process of this host keeps its lock with a clock %i ms ahead and without a heartbeat',
  async ahead => {
    const life = await leaveHolder(await startProcess())
    const longAgo = new Date(Date.now() - hour)
    await utimes(life, longAgo, longAgo)
    const clock = clockAhead(ahead)
    await expect(lock(clock)).rejects.toMatchObject({ kind: 'conflict' })
    expect(clock.slept).toBe(0)
  },
)

test.skipIf(process.platform !== 'linux')(
  'the pid of a killed holder may belong to another process',
  async () => {
    const { pid } = await startProcess()
    await leaveHolder({ pid, start: '1' })
    const clock = clockAhead(0)
    await (await lock(clock)).release()
    expect(clock.slept).toBe(0)
    expect(await readdir(folder)).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')('a holder that its parent has not waited for is dead', async () => {
  // cat waits for no child. It has replaced the shell, which does, once it responds.
  const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec cat'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  parent.stdin.write('exec\n')
  await once(parent.stdout, 'data')
  process.kill(pid, 'SIGKILL')
  let stat = ''
  while (!/\) Z /.test(stat)) stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  await leaveHolder({ pid, start: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] })
  await (await lock(clockAhead(0))).release()
})

test.each([
  ['of another host', { pid: 1, host: 'elsewhere' }],
  ['in another container of this host name', { pid: 1, scope: 'another' }],
  ['whose start is not known', { pid: process.pid }],
])('a holder %s lives while its heartbeat changes, whatever the clocks say', async (_, holder) => {
  const life = await leaveHolder(holder)
  for (const ahead of [30_000, hour, -hour]) {
    let beats = 0
    const onSleep = async () => {
      beats += 1
      // Only the fifth look sees a change.
      const time = new Date(Date.now() - hour + Math.floor(beats / 5) * 5000)
      await utimes(life, time, time)
    }
    await onSleep()
    await expect(lock(clockAhead(ahead, onSleep))).rejects.toMatchObject({ kind: 'conflict' })
  }
  const silent = clockAhead(hour)
  await (await lock(silent)).release()
  expect(silent.slept).toBeGreaterThanOrEqual(10_000)
  expect(await readdir(folder)).toEqual([])
})

test('a holder on another host that released its lock meanwhile is not waited for any longer', async () => {
  const life = await leaveHolder({ pid: 1, host: 'elsewhere' })
  const release = async () => {
    await rm(`${path}.lock`, { force: true })
    await rm(life, { recursive: true, force: true })
  }
  const clock = clockAhead(0, release)
  await (await lock(clock)).release()
  expect(clock.slept).toBeLessThan(1000)
  expect(await readdir(folder)).toEqual([])
})

test('waits for a living holder up to its timeout', async () => {
  const first = await lock()
  const waiting = lock(clockAhead(0, first.release), 1000)
  await (await waiting).release()
  const second = await lock()
  const clock = clockAhead(0)
  await expect(lock(clock, 1000)).rejects.toMatchObject({ kind: 'conflict' })
  expect(clock.slept).toBe(1000)
  await second.release()
})

test('the time in which a heartbeat is watched counts as waiting', async () => {
  const life = await leaveHolder({ pid: 1, host: 'elsewhere' })
  let beats = 0
  const clock = clockAhead(hour, async () => {
    beats += 1
    const time = new Date(Math.floor(beats / 8) * 2000)
    await utimes(life, time, time)
  })
  await expect(lock(clock, 5000)).rejects.toMatchObject({ kind: 'conflict' })
  expect(clock.slept).toBeLessThan(8000)
})

test('a holder sees at once that its lock was taken over, or removed with its folder', async () => {
  const held = await lock()
  expect([held.isHeld(), held.isLost()]).toEqual([true, false])
  const [life = ''] = (await readdir(folder)).filter(name => name.endsWith('.alive'))
  await rm(join(folder, life), { recursive: true })
  expect([held.isHeld(), held.isLost()]).toEqual([false, false])
  const next = await lock()
  expect([held.isHeld(), held.isLost()]).toEqual([false, true])
  await next.release()
  expect(held.isHeld()).toBe(false)
  await held.release()
})

test('the next holder removes files of a killed waiter, and keeps those of a living one', async () => {
  await writeFile(`${path}.lock.killed.tmp`, JSON.stringify({ ...dead, token: 'killed' }))
  await mkdir(`${path}.lock.killed.alive`)
  await writeFile(
    `${path}.lock.living.tmp`,
    JSON.stringify({ pid: process.pid, host: hostname(), token: 'living' }),
  )
  await mkdir(`${path}.lock.living.alive`)
  const held = await lock()
  await held.release()
  expect(await readdir(folder)).toEqual(['file.lock.living.alive', 'file.lock.living.tmp'])
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

test('reports a missing folder as missing', async () => {
  path = join(folder, 'none', 'file')
  await expect(lock()).rejects.toMatchObject({ kind: 'usage' })
})
