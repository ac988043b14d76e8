import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { isatty } from 'node:tty'
import { type Sleeper, startTimer, systemClock } from '../clock.ts'
import { getErrorCode } from '../error.ts'
import { createDeferred } from '../queue.ts'

// Node reaches other programs' processes through `process` alone.

/** True if a program can lead a process group, so that its descendants end with it. */
export const hasGroups = process.platform !== 'win32'

/** A program and its descendants, as far as they can be found. */
interface Members {
  signal(name: NodeJS.Signals): void
  isEmpty(): boolean
}

/** Returns a program with its descendants: the process group that it leads, or on Windows its process tree. */
export function listGroup(pid: number): Members {
  return hasGroups
    ? { signal: name => send(-pid, name), isEmpty: () => !isThere(-pid) }
    : { signal: () => endTree(pid), isEmpty: () => !isThere(pid) }
}

/** Returns a program alone, which shares our process group. */
export function listAlone(pid: number): Members {
  return { signal: name => send(pid, name), isEmpty: () => !isThere(pid) }
}

/**
 * Sends SIGTERM to our process group, for what a program left in it, if the group is ours alone: a shell made it for us as a job at a
 * terminal. Resolves when we got the signal too; the caller ignores it.
 */
export async function endJob(): Promise<void> {
  // The number of the group of process 1, in a container, means every process; all of them end with it.
  if (process.pid === 1 || ![0, 1, 2].every(isatty) || !isThere(-process.pid)) return
  const signal = once(process, 'SIGTERM')
  send(-process.pid, 'SIGTERM')
  await signal
}

/** Windows has no signals; /t finds the descendants of a program that runs. */
function endTree(pid: number): void {
  spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true })
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // ESRCH: it has ended. EPERM: macOS says so of a group of ended processes that no parent has waited for yet; elsewhere of
    // programs with rights of their own, which we cannot end.
    const code = getErrorCode(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // ESRCH, or as above.
    return false
  }
}

/** With whether a Ctrl-\ of the terminal reaches them without us. */
const running = new Map<Members, boolean>()
let watching = false

/**
 * Ends them with this process, however that ends short of SIGKILL: nothing else would. The function that is returned undoes
 * this.
 */
function endWithUs(members: Members, hearsTerminal: boolean): () => void {
  running.set(members, hearsTerminal)
  if (!watching) {
    watching = true
    process.on('exit', endAll)
    process.on('SIGQUIT', onQuit)
  }
  return () => void running.delete(members)
}

/**
 * Ctrl-\ ends a process without its exit event, and leaves a core file where the system is set so. A program that also receives it from
 * the terminal decides what to do: some print a status and continue.
 */
function onQuit(): void {
  if ([...running.values()].includes(true)) return
  endAll()
  process.off('SIGQUIT', onQuit)
  process.kill(process.pid, 'SIGQUIT')
}

function endAll(): void {
  for (const members of running.keys()) members.signal('SIGKILL')
}

interface GroupOptions {
  readonly members: Members
  /** Resolves when the program itself has ended. */
  readonly exited: Promise<unknown>
  /** True if Ctrl-\ of the terminal reaches them directly. */
  readonly hearsTerminal?: boolean
  readonly clock: Sleeper
}

/** The system does not report when a descendant ends: callyard asks, in real time, which is that of processes. */
const pollIntervalMs = 20

/**
 * A program and its descendants, which end together, and with this process unless they have ended or are released by then.
 */
export function createProgramGroup({ members, exited, hearsTerminal = false, clock }: GroupOptions) {
  const forget = endWithUs(members, hearsTerminal)
  let isReleased = false
  let ending: Promise<void> | undefined

  /** From now on they are left alone: neither end() nor our own end does anything to them. */
  const release = () => {
    isReleased = true
    forget()
  }
  const end = async (shutdownTimeoutMs: number) => {
    if (isReleased) return
    members.signal('SIGTERM')
    if (!(await empties(shutdownTimeoutMs))) members.signal('SIGKILL')
    release()
  }
  /** Waits until all have ended; false after this time. */
  const empties = async (milliseconds: number) => {
    let isLate = false
    const late = createDeferred()
    const onTimeout = () => {
      isLate = true
      late.resolve()
    }
    const cancel = startTimer(milliseconds, onTimeout, clock)
    await Promise.race([exited, late.promise])
    while (!isLate && !members.isEmpty()) await systemClock.sleep(pollIntervalMs)
    cancel()
    return members.isEmpty()
  }
  // An empty group's number may soon be another's.
  void exited.then(() => {
    if (ending === undefined && members.isEmpty()) release()
  })
  return {
    signal: (name: NodeJS.Signals) => {
      if (!isReleased) members.signal(name)
    },
    /**
     * SIGTERM to all of them, and SIGKILL to those that are still there after `shutdownTimeoutMs`; also when the program has
     * ended and they have not. Resolves when all have ended, or were sent SIGKILL.
     */
    end(shutdownTimeoutMs: number): Promise<void> {
      ending ??= end(shutdownTimeoutMs)
      return ending
    },
    release,
  }
}
