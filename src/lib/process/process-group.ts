// Groups are reached through the process alone; core has nothing else of it.

import process from 'node:process'
import { codeOf } from '../error.ts'

/** Whether a program can be started as the head of a group, so that its descendants end with it. */
export const hasGroups = process.platform !== 'win32'

/** Sends a signal to a program and to all of its descendants that did not leave its group. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // ESRCH: all have ended. EPERM: macOS says so of ended ones that nobody has asked for yet.
    const code = codeOf(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

/** Whether of a program and its descendants that did not leave its group nobody is there any more. */
export function isGroupEmpty(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return false
  } catch {
    // ESRCH, or as above. On Linux, EPERM is of programs with rights of their own, which we could not end either.
    return true
  }
}

const groups = new Set<number>()
let watching = false

/**
 * Ends a group with this process, however that ends short of SIGKILL. A group of its own hears neither Ctrl-C nor the
 * terminal's end, so nobody else would. What is returned takes it off again.
 */
export function endGroupWithUs(pid: number): () => void {
  groups.add(pid)
  if (!watching) {
    watching = true
    process.on('exit', endAll)
    // Ctrl-\ ends a process without its exit event, and leaves a core file where the system is set so.
    process.once('SIGQUIT', () => {
      endAll()
      process.kill(process.pid, 'SIGQUIT')
    })
  }
  return () => void groups.delete(pid)
}

function endAll(): void {
  for (const pid of groups) signalGroup(pid, 'SIGKILL')
}
