import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../clock.ts'
import { CallyardError, getErrorCode } from '../error.ts'
import { parseJson } from '../json.ts'
import { isRunning, lockOwnerSchema, thisProcess } from './lock-owner.ts'
import { putIfFree } from './replace-file.ts'

const holderSchema = z.extend(lockOwnerSchema, { token: z.string() })
type Holder = z.infer<typeof holderSchema>

export type FileLock = Awaited<ReturnType<typeof lockFile>>

interface LockOptions {
  readonly clock: Clock
  /** Returns the error for a lock of another process, with its holder if known. */
  inUse(holder: Holder | undefined): CallyardError
  cannotLock(error: unknown): CallyardError
  /** Milliseconds to wait for a live holder. Default: 0. */
  readonly waitMs?: number
}

/** Interval at which a holder touches its `.alive` folder. */
const heartbeatMs = 2500
/** A holder whose heartbeat does not change in this time is dead. */
const watchMs = 10_000
const watchStepMs = 250
const retryMs = 50

/**
 * One process at a time works on a file. The lock of a process that was killed is taken over at once. The lock is a chain of files:
 * `<path>.lock` names its holder and a token; who takes it over from a dead holder creates `<path>.lock.<token>`, which the system
 * lets only one of them do; the last of the chain holds the lock. Only its holder removes files of a chain, from the front, so a
 * chain that still has its front is complete. On the same host a holder is alive while its process runs and its folder `….alive`
 * exists, even if it was suspended. Only Linux tells when a process started; elsewhere a later process may have the same pid, and the
 * heartbeat decides. A holder on another host is alive while the modification time of that folder changes. No clock decides that a
 * holder is dead, because clocks differ.
 * @throws CallyardError of `inUse` or `cannotLock`.
 */
export async function lockFile(path: string, { clock, inUse, cannotLock, waitMs = 0 }: LockOptions) {
  const { default: lockfile } = await import('proper-lockfile')
  const head = `${path}.lock`
  const me: Holder = { ...thisProcess(), token: randomUUID() }
  const draft = `${after(head, me)}.tmp`
  let isCompromised = false
  const isLost = () => isCompromised || existsSync(after(head, me))
  /** A process that takes the lock over removes this folder first. */
  const isHeld = () => !isLost() && existsSync(alive(head, me))

  let waited = 0
  const waiting = {
    now: clock.now,
    sleep(ms: number) {
      waited += ms
      return clock.sleep(ms)
    },
  }

  const acquire = async () => {
    // Each turn but the first is due to another process that was faster.
    for (let turn = 0; turn < 100; ) {
      const before = await readChain(head, clock)
      const last = before.at(-1)
      if (last !== undefined && (await isAlive(head, last, waiting))) {
        if (waited >= waitMs) throw inUse(last)
        await waiting.sleep(retryMs)
        continue
      }
      turn += 1
      const slot = last === undefined ? head : after(head, last)
      if (!(await putIfFree(draft, slot))) continue
      const chain = await readChain(head, clock)
      if (isLast(chain, me)) {
        for (const dead of before) await rm(alive(head, dead), { recursive: true, force: true })
        // The lock is held, even if the folder cannot be listed or holds files of another user.
        await removeKilledWaiters(head, draft).catch(() => {})
        return
      }
      if (chain.some(({ token }) => token === me.token)) throw inUse(chain.at(-1))
      // The chain that was read is gone; this is not part of another one.
      await remove(slot)
    }
    throw inUse(undefined)
  }

  const beat = await lockfile
    .lock(after(head, me), {
      realpath: false,
      lockfilePath: alive(head, me),
      update: heartbeatMs,
      onCompromised: () => {
        isCompromised = true
      },
    })
    .catch(error => {
      throw cannotLock(error)
    })
  try {
    await writeFile(draft, JSON.stringify(me), { mode: 0o600 })
    await acquire()
  } catch (error) {
    await beat().catch(() => {})
    throw error instanceof CallyardError ? error : cannotLock(error)
  } finally {
    await remove(draft).catch(() => {})
  }
  return {
    /** True if another process has taken the lock over, as another host does while this one sleeps. */
    isLost,
    /** True if this process holds the lock: it was not taken over, released or removed with its folder. */
    isHeld,
    /** @throws CallyardError `conflict`, as `inUse` words it, when another process holds the lock by now. */
    async assertHeld() {
      const chain = await readChain(head, clock)
      if (!isHeld() || !isLast(chain, me)) throw inUse(chain.at(-1))
    },
    /** Never rejects: what cannot be removed is taken over by the next one. */
    async release() {
      try {
        const chain = await readChain(head, clock)
        if (!isLost() && isLast(chain, me)) {
          const slots = [head, ...chain.slice(0, -1).map(holder => after(head, holder))]
          for (const slot of slots) await remove(slot)
        }
        await beat()
      } catch {}
    },
  }
}

/** A holder that only changes a file is done by then. */
const changeMs = 10_000

/**
 * Works on a file that others change now and then. Waits ten seconds for the lock by default.
 * @throws as `lockFile` and `work` do
 */
export async function whileLocked<Result>(
  path: string,
  { waitMs = changeMs, ...options }: LockOptions,
  work: (lock: FileLock) => Promise<Result>,
): Promise<Result> {
  const lock = await lockFile(path, { waitMs, ...options })
  return work(lock).finally(lock.release)
}

/** Opens what is worked on until it is closed, which releases the lock. @throws as `lockFile` and `open` do; the lock is free then */
export async function openLocked<Result>(
  path: string,
  options: LockOptions,
  open: (lock: FileLock) => Promise<Result>,
): Promise<Result> {
  const lock = await lockFile(path, options)
  return open(lock).catch(async error => {
    await lock.release()
    throw error
  })
}

/** True if a live process holds the lock of a file. Waits for the heartbeat of a holder on another host. */
export async function isFileLocked(path: string, clock: Clock): Promise<boolean> {
  const head = `${path}.lock`
  const last = (await readChain(head, clock)).at(-1)
  return last !== undefined && isAlive(head, last, clock)
}

async function isAlive(head: string, holder: Holder, clock: Clock): Promise<boolean> {
  const beat = alive(head, holder)
  return existsSync(beat) && (isRunning(holder) ?? hasHeartbeat(beat, clock, holder))
}

/** Removes what processes left that were killed while they waited for the lock. */
async function removeKilledWaiters(head: string, own: string): Promise<void> {
  const drafts = (await readdir(dirname(head))).filter(
    name => name.startsWith(`${basename(head)}.`) && name.endsWith('.tmp') && name !== basename(own),
  )
  for (const draft of drafts.map(name => join(dirname(head), name))) {
    const waiter = readHolderFile(draft)
    if (waiter === undefined || waiter === 'none' || isRunning(waiter) !== false) continue
    await rm(alive(head, waiter), { recursive: true, force: true })
    await remove(draft)
  }
}

/** Cheaper than `rm`, which looks at the file first. */
async function remove(file: string): Promise<void> {
  await unlink(file).catch(error => {
    if (getErrorCode(error) !== 'ENOENT') throw error
  })
}

/** Returns the successive holders of the lock; the last one holds it, or is dead. */
async function readChain(head: string, clock: Clock): Promise<Holder[]> {
  const chain: Holder[] = []
  let path = head
  while (true) {
    const holder = await readHolder(path, clock)
    if (holder === 'none') return chain
    // Counts as dead, because it has no folder.
    const next = holder ?? { ...thisProcess(), token: `unreadable-${chain.length}` }
    chain.push(next)
    path = after(head, next)
  }
}

/**
 * Without hard links, a holder is visible before its name is written. One that has no name after a second was killed in between, and
 * has no folder that proves it alive.
 */
async function readHolder(path: string, clock: Clock): Promise<Holder | undefined | 'none'> {
  for (let waits = 0; waits < 10; waits += 1) {
    const holder = readHolderFile(path)
    if (holder !== undefined) return holder
    await clock.sleep(100)
  }
  return undefined
}

/** Undefined for a file without a holder. Synchronous: four turns of the thread pool take longer than a hundred bytes. */
function readHolderFile(path: string): Holder | undefined | 'none' {
  try {
    return holderSchema.safeParse(parseJson(readFileSync(path, 'utf8'))).data
  } catch (error) {
    return getErrorCode(error) === 'ENOENT' ? 'none' : undefined
  }
}

function isLast(chain: readonly Holder[], { token }: Holder): boolean {
  return chain.at(-1)?.token === token
}

/** Returns the path of the holder that took the lock over from this one. */
function after(head: string, { token }: Holder): string {
  return `${head}.${token}`
}

function alive(head: string, holder: Holder): string {
  return `${after(head, holder)}.alive`
}

/**
 * True if the modification time changes while it is watched. If a holder on this host cannot be told from a later process with the
 * same pid, a recent time is enough.
 */
async function hasHeartbeat(path: string, clock: Clock, { host }: Holder): Promise<boolean> {
  const beatOf = () =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    )
  const first = await beatOf()
  const age = clock.now() - (first ?? 0)
  if (host === thisProcess().host && age >= 0 && age < watchMs) return true
  for (let watchedMs = 0; first !== undefined && watchedMs < watchMs; watchedMs += watchStepMs) {
    await clock.sleep(watchStepMs)
    const beat = await beatOf()
    if (beat !== first) return beat !== undefined
  }
  return false
}
