import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Returns true if a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

/** Resolves once a process has ended; its own end is the only thing waited for. */
export async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await delay(5)
}
