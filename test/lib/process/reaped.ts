import { setTimeout as delay } from 'node:timers/promises'

/** Resolves once a child of this process has ended and Node has asked for it, so that its exit is known here. */
export async function reaped(pid: number): Promise<void> {
  while (isThere(pid)) await delay(5)
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
