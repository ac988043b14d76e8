import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, platform } from 'node:os'
import { kill, pid } from 'node:process'
import { onDemand } from '../on-demand.ts'

/** A process, as it names itself to others that share its files. */
export interface LockOwner {
  readonly pid: number
  readonly host: string
  /** Where the pid counts: the running kernel and its pid namespace. Containers may share a host name. Linux only. */
  readonly scope?: string | undefined
  /** When the process started, in ticks since boot: a pid is used again. Linux only. */
  readonly start?: string | undefined
}

/** This process. */
export const thisProcess = onDemand((): LockOwner => ({ pid, host: hostname(), ...linuxIdentity() }))

/**
 * True if the process runs, false if it does not; no clock is read. Undefined if that cannot be known here: the process is of another
 * host or container, or its pid runs and may belong to another process by now.
 */
export function isRunning({ pid: id, host, scope, start }: LockOwner): boolean | undefined {
  const here = thisProcess()
  if (host !== here.host || (scope !== undefined && scope !== here.scope)) return undefined
  if (!hasPid(id)) return false
  const process = start === undefined ? undefined : readStat(id)
  if (process === undefined) return undefined
  return process.start === start && !process.hasEnded
}

/** True if this machine has such a process, of any user. Signal 0 is not delivered. */
function hasPid(id: number): boolean {
  try {
    return kill(id, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function linuxIdentity(): Pick<LockOwner, 'scope' | 'start'> {
  if (platform() !== 'linux') return {}
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { scope: `${boot} ${readlinkSync('/proc/self/ns/pid')}`, start: readStat(pid)?.start }
  } catch {
    return {}
  }
}

/** Fields of proc_pid_stat(5). They follow the name of the program, which may hold anything but ends with the last parenthesis. */
function readStat(id: number) {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A process that its parent has not waited for yet keeps its pid.
    return { start: fields[19], hasEnded: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return undefined
  }
}
