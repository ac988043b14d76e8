import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { kill, pid } from 'node:process'
import * as z from 'zod'
import { CliError } from '../errors.ts'

export interface JournalLock {
  /** Why the journal is no longer ours, if so. */
  lost(): string | undefined
  release(): Promise<void>
}

const holderSchema = z.object({ pid: z.int().positive(), host: z.string() })

/**
 * One sandbox per journal. The lock of a sandbox that was killed goes stale by itself after seconds; so that a restart
 * need not wait for that, the holder's process id stands beside it.
 * @throws CliError `conflict` when another sandbox holds the journal.
 */
export async function lockJournal(path: string): Promise<JournalLock> {
  const { default: lockfile } = await import('proper-lockfile')
  const holderFile = `${path}.lock.json`
  let lost: string | undefined
  const options = {
    realpath: false,
    onCompromised: (error: Error) => {
      lost = `another process took its lock (${error.message})`
    },
  }
  const lock = async () => {
    const unlock = await lockfile.lock(path, options)
    await writeFile(holderFile, JSON.stringify({ pid, host: hostname() }), { mode: 0o600 })
    return unlock
  }
  const lockAfterDeath = async (error: unknown) => {
    if (!isLocked(error)) throw error
    const holder = await readHolder(holderFile)
    if (holder === undefined || holder.host !== hostname() || isRunning(holder.pid))
      throw inUse(path, holder?.pid)
    await rm(`${path}.lock`, { recursive: true, force: true })
    return lock().catch(again => {
      throw isLocked(again) ? inUse(path, undefined) : again
    })
  }
  try {
    const unlock = await lock().catch(lockAfterDeath)
    return {
      lost: () => lost,
      async release() {
        if (lost !== undefined) return
        await rm(holderFile, { force: true })
        await unlock()
      },
    }
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError('unreachable', `the sandbox’s journal ${path} cannot be locked: ${String(error)}`, {
      hint: 'check the folder and its permissions, or give another file with --data (or --memory)',
      cause: error,
    })
  }
}

function inUse(path: string, holder: number | undefined): CliError {
  const who = holder === undefined ? 'another sandbox' : `another sandbox (process ${holder})`
  return new CliError('conflict', `${who} already uses ${path}`, {
    hint: 'stop it, or give this one its own file with --data, or --memory',
  })
}

async function readHolder(file: string): Promise<z.infer<typeof holderSchema> | undefined> {
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
