import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { kill, pid } from 'node:process'
import * as z from 'zod/mini'
import type { Clock } from '../clock.ts'
import { CallwrightError, codeOf } from '../error.ts'
import { putIfFree } from './replace-file.ts'

const holderSchema = z.object({ pid: z.int().check(z.positive()), host: z.string(), token: z.string() })
type Holder = z.infer<typeof holderSchema>

export type FileLock = Awaited<ReturnType<typeof lockFile>>

interface LockOptions {
  readonly clock: Clock
  /** The error for a lock that another process holds; who that is where it is known. */
  inUse(holder: Holder | undefined): CallwrightError
  /** The error for a lock that cannot be made at all. */
  cannotLock(error: unknown): CallwrightError
}

/**
 * One process at a time works on a file. The lock of a process that was killed is taken over at once.
 *
 * The lock is a chain of files: `<path>.lock` names its holder and a token; who takes it over from a dead holder creates
 * `<path>.lock.<token>`, which the system lets only one of them do; the last of the chain holds the lock. Nothing of a
 * chain is removed but by its holder, from the front, so that a chain whose front is still there is whole. A holder
 * lives while its process runs and it keeps a folder `….alive` fresh.
 * @throws CallwrightError of `inUse` or `cannotLock`.
 */
export async function lockFile(path: string, { clock, inUse, cannotLock }: LockOptions) {
  const { default: lockfile } = await import('proper-lockfile')
  const head = `${path}.lock`
  const me: Holder = { pid, host: hostname(), token: randomUUID() }
  const draft = `${after(head, me)}.tmp`
  let isLost = false

  const isAlive = async (holder: Holder) =>
    (holder.host !== hostname() || isRunning(holder.pid)) &&
    lockfile.check(after(head, holder), { realpath: false, lockfilePath: alive(head, holder) })

  const take = async () => {
    // Each turn but the first is due to another process that was faster.
    for (let turn = 0; turn < 100; turn += 1) {
      const before = await readChain(head, clock)
      const last = before.at(-1)
      if (last !== undefined && (await isAlive(last))) throw inUse(last)
      const place = last === undefined ? head : after(head, last)
      if (!(await putIfFree(draft, place))) continue
      const chain = await readChain(head, clock)
      if (isLast(chain, me)) {
        // A holder that only slept notices by this that it lost the lock.
        for (const dead of before) await rm(alive(head, dead), { recursive: true, force: true })
        return
      }
      if (chain.some(({ token }) => token === me.token)) throw inUse(chain.at(-1))
      // The chain that was read is gone as a whole; this is no part of any.
      await rm(place, { force: true })
    }
    throw inUse(undefined)
  }

  const beat = await lockfile
    .lock(after(head, me), {
      realpath: false,
      lockfilePath: alive(head, me),
      onCompromised: () => {
        isLost = true
      },
    })
    .catch(error => {
      throw cannotLock(error)
    })
  try {
    await writeFile(draft, JSON.stringify(me), { mode: 0o600 })
    await take()
  } catch (error) {
    await beat().catch(() => {})
    throw error instanceof CallwrightError ? error : cannotLock(error)
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
  return {
    /** True once another process took the lock away, as after this one slept too long. */
    isLost: () => isLost,
    /** @throws CallwrightError `conflict`, as `inUse` words it, when another process holds the lock by now. */
    async assertHeld() {
      const chain = await readChain(head, clock)
      if (isLost || !isLast(chain, me)) throw inUse(chain.at(-1))
    },
    /** Never rejects: what cannot be removed is taken over by the next one. */
    async release() {
      try {
        const chain = await readChain(head, clock)
        if (!isLost && isLast(chain, me)) {
          const places = [head, ...chain.slice(0, -1).map(holder => after(head, holder))]
          for (const place of places) await rm(place, { recursive: true, force: true })
        }
        await beat()
      } catch {}
    },
  }
}

/** Who held the lock, one after the other; the last one holds it, or is dead. */
async function readChain(head: string, clock: Clock): Promise<Holder[]> {
  const chain: Holder[] = []
  let place = head
  while (true) {
    const holder = await readHolder(place, clock)
    if (holder === 'none') return chain
    const next = holder ?? { pid, host: hostname(), token: `unreadable-${chain.length}` }
    chain.push(next)
    place = after(head, next)
  }
}

/**
 * Where files cannot be linked, a holder is visible before its name is written: one that is still without after a
 * second was killed in between. It has no folder that shows it alive.
 */
async function readHolder(place: string, clock: Clock): Promise<Holder | undefined | 'none'> {
  for (let waits = 0; waits < 10; waits += 1) {
    try {
      return holderSchema.parse(JSON.parse(await readFile(place, 'utf8')))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return 'none'
      await clock.sleep(100)
    }
  }
  return undefined
}

function isLast(chain: readonly Holder[], { token }: Holder): boolean {
  return chain.at(-1)?.token === token
}

/** Where the one stands that took the lock over from this one. */
function after(head: string, { token }: Holder): string {
  return `${head}.${token}`
}

function alive(head: string, holder: Holder): string {
  return `${after(head, holder)}.alive`
}

/** Whether a process of this machine runs, of any user. Signal 0 only asks. */
export function isRunning(id: number): boolean {
  try {
    return kill(id, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
