import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { kill, pid } from 'node:process'
import * as z from 'zod'
import type { Clock } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { cannotWrite } from './replace-file.ts'

export interface PushLock {
  /** @throws CliError `conflict` when another process took the lock meanwhile. */
  assertHeld(): Promise<void>
  release(): Promise<void>
}

const holderSchema = z.object({ pid: z.int().positive(), host: z.string() })

/**
 * One push of a file at a time. The lock of a push that was killed goes stale by itself after seconds; so that the next
 * push need not wait for that, the holder's process id stands beside it.
 * @throws CliError `conflict` when another push holds the lock.
 */
export async function lockPush(path: string, file: string, clock: Clock): Promise<PushLock> {
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
    if (!isLocked(error)) throw cannotWrite(path, error)
    const holder = await waitForHolder(holderFile, clock)
    if (holder !== undefined && (holder.host !== hostname() || isRunning(holder.pid)))
      throw inUse(file, holder)
    await rm(holderFile, { force: true })
    await rm(`${path}.lock`, { recursive: true, force: true })
    return lock().catch(again => {
      throw isLocked(again) ? inUse(file, undefined) : cannotWrite(path, again)
    })
  }
  const unlock = await lock().catch(takeFromDead)
  return {
    async assertHeld() {
      const holder = await readHolder(holderFile)
      if (lost || holder?.pid !== pid || holder.host !== hostname()) throw inUse(file, holder)
    },
    async release() {
      if (lost) return
      await rm(holderFile, { force: true })
      await unlock()
    },
  }
}

type Holder = z.infer<typeof holderSchema>

function inUse(file: string, holder: Holder | undefined): CliError {
  const who = holder === undefined ? 'another push' : `another push (process ${holder.pid} on ${holder.host})`
  return new CliError('conflict', `${who} of ${file} is running`, {
    hint: 'wait until it has ended, then run again',
  })
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
