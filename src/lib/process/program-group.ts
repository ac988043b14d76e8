import type { ChildProcess } from 'node:child_process'
import process from 'node:process'
import type { Clock } from '../clock.ts'
import { codeOf } from '../error.ts'

// Groups are reached through the process alone; core has nothing else of it.

/** Whether a program can be started as the head of a group, so that its descendants end with it. */
export const hasGroups = process.platform !== 'win32'

/** Sends a signal to a program and to all of its descendants that did not leave its group. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // ESRCH: all have ended. EPERM: macOS says so of ended processes that no parent has waited for yet.
    const code = codeOf(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

/** Whether a program and all descendants that did not leave its group have ended. */
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
 * terminal's end, so nothing else would end it. The function that is returned undoes this.
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

/** A program and its descendants that did not leave its group; on Windows the program alone. */
export interface ProgramGroup {
  /**
   * SIGTERM to all of them, and SIGKILL to those that are still there after `shutdownTimeoutMs`. Resolves when all have
   * ended, or were sent SIGKILL.
   */
  end(shutdownTimeoutMs: number): Promise<void>
  /** From now on they are left alone: neither end() nor our own end does anything to them. */
  release(): void
}

interface Head {
  readonly child: Pick<ChildProcess, 'kill' | 'exitCode' | 'signalCode'>
  readonly pid: number
  /** Resolves when the program itself has ended. */
  readonly exited: Promise<unknown>
  readonly clock: Pick<Clock, 'sleep'>
}

/** The system does not report when a descendant ends: callwright asks. */
const pollIntervalMs = 20

/** The group that a program heads. It ends with this process unless it is empty or released by then. */
export function createProgramGroup({ child, pid, exited, clock }: Head): ProgramGroup {
  const forget = hasGroups ? endGroupWithUs(pid) : () => {}
  let isReleased = false
  let ending: Promise<void> | undefined

  const isEmpty = () => (hasGroups ? isGroupEmpty(pid) : child.exitCode !== null || child.signalCode !== null)
  const signal = (name: NodeJS.Signals) => {
    if (hasGroups) signalGroup(pid, name)
    else child.kill(name)
  }
  const release = () => {
    isReleased = true
    forget()
  }
  const end = async (shutdownTimeoutMs: number) => {
    if (isReleased) return
    signal('SIGTERM')
    if (!(await empties(shutdownTimeoutMs))) signal('SIGKILL')
    release()
  }
  /** Whether all have ended within this time. */
  const empties = async (milliseconds: number) => {
    const waiting = new AbortController()
    let isLate = false
    const late = clock.sleep(milliseconds, waiting.signal).then(
      () => {
        isLate = true
      },
      () => undefined,
    )
    await Promise.race([exited, late])
    while (!isLate && !isEmpty()) {
      await Promise.race([late, clock.sleep(pollIntervalMs)])
    }
    waiting.abort()
    return isEmpty()
  }
  // An empty group's number may soon be another's.
  void exited.then(() => {
    if (ending === undefined && isEmpty()) release()
  })
  return {
    end(shutdownTimeoutMs) {
      ending ??= end(shutdownTimeoutMs)
      return ending
    },
    release,
  }
}
