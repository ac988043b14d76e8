import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { kill, pid } from 'node:process'
import * as z from 'zod/mini'
import type { Clock } from './context.ts'
import type { CliError } from './errors.ts'

const holderSchema = z.object({ pid: z.int().check(z.positive()), host: z.string() })
export type Holder = z.infer<typeof holderSchema>

export interface FileLock {
  /** True once another process took the lock away, as after this one slept too long. */
  lost(): boolean
  /** @throws CliError `conflict`, as `inUse` words it, when another process holds the lock by now. */
  assertHeld(): Promise<void>
  release(): Promise<void>
}

interface LockOptions {
  readonly clock: Clock
  /** The error for a lock that another process holds; who that is where it is known. */
  inUse(holder: Holder | undefined): CliError
  /** The error for a lock that cannot be made at all. */
  cannotLock(error: unknown): CliError
}

/**
 * One process at a time works on a file. The lock of a process that was killed goes stale by itself after seconds; so
 * that the next one need not wait for that, the holder's process id stands beside it.
 * @throws CliError of `inUse` or `cannotLock`.
 */
export async function lockFile(path: string, { clock, inUse, cannotLock }: LockOptions): Promise<FileLock> {
  const { default: lockfile } = await import('proper-lockfile')
  const holderFile = `${path}.lock.json`
  let lost = false
  const lock = async () => {
    const unlock = await lockfile.lock(path, {
      realpath: false,
      onCompromised: () => {
        lost = true
      },
    })
    await writeFile(holderFile, JSON.stringify({ pid, host: hostname() }), { mode: 0o600 })
    return unlock
  }
  const takeFromDead = async (error: unknown) => {
    if (!isLocked(error)) throw cannotLock(error)
    const holder = await waitForHolder(holderFile, clock)
    if (holder !== undefined && (holder.host !== hostname() || isRunning(holder.pid))) throw inUse(holder)
    await rm(holderFile, { force: true })
    await rm(`${path}.lock`, { recursive: true, force: true })
    return lock().catch(again => {
      throw isLocked(again) ? inUse(undefined) : cannotLock(again)
    })
  }
  const unlock = await lock().catch(takeFromDead)
  return {
    lost: () => lost,
    async assertHeld() {
      const holder = await readHolder(holderFile)
      if (lost || holder?.pid !== pid || holder.host !== hostname()) throw inUse(holder)
    },
    async release() {
      if (lost) return
      await rm(holderFile, { force: true })
      await unlock()
    },
  }
}

/** A holder writes its name right after it locked: one that is still without after a second was killed in between. */
async function waitForHolder(file: string, clock: Clock): Promise<Holder | undefined> {
  for (let waits = 0; waits < 10; waits += 1) {
    const holder = await readHolder(file)
    if (holder !== undefined) return holder
    await clock.sleep(100)
  }
  return readHolder(file)
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return holderSchema.safeParse(JSON.parse(await readFile(file, 'utf8'))).data
  } catch {
    return undefined
  }
}

/** Signal 0 only asks. A process of somebody else is running too. */
function isRunning(id: number): boolean {
  try {
    return kill(id, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED'
}
