import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, platform } from 'node:os'
import { kill, pid } from 'node:process'
import * as z from 'zod/mini'
import { lazy } from '../lazy.ts'

/** Identity of a process, as written into lock files. */
export const lockOwnerSchema = z.object({
  pid: z.int().check(z.positive()),
  host: z.string(),
  /** Scope of the pid: the boot of the kernel and the pid namespace. Containers may share a host name. Linux only. */
  scope: z.optional(z.string()),
  /** Start of the process in ticks since boot, because pids are reused. Linux only. */
  start: z.optional(z.string()),
})
type LockOwner = z.infer<typeof lockOwnerSchema>

export const thisProcess = lazy((): LockOwner => ({ pid, host: hostname(), ...linuxIdentity() }))

/**
 * True if the process runs, false if not; reads no clock. Undefined if this cannot be known: the process is on another host or in
 * another container, or the pid may have been reused.
 */
export function isRunning({ pid: id, host, scope, start }: LockOwner): boolean | undefined {
  const here = thisProcess()
  if (host !== here.host || (scope !== undefined && scope !== here.scope)) return undefined
  if (!hasPid(id)) return false
  const process = start === undefined ? undefined : readStat(id)
  if (process === undefined) return undefined
  return process.start === start && !process.hasEnded
}

/** True if the pid exists on this machine, for any user. Signal 0 only checks. */
function hasPid(id: number): boolean {
  try {
    return kill(id, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function linuxIdentity(): Partial<LockOwner> {
  if (platform() !== 'linux') return {}
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { scope: `${boot} ${readlinkSync('/proc/self/ns/pid')}`, start: readStat(pid)?.start }
  } catch {
    return {}
  }
}

/** Fields of proc_pid_stat(5). They follow the program name, which may contain any character and ends at the last parenthesis. */
function readStat(id: number) {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie keeps its pid until its parent waits for it.
    return { start: fields[19], hasEnded: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return undefined
  }
}
