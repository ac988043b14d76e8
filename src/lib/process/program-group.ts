import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { type Clock, startTimer, systemClock } from '../clock.ts'
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

/** Returns a process group: its leader with the descendants that did not leave it; on Windows only the program. */
export function listGroup(pid: number): Members {
  const target = hasGroups ? -pid : pid
  return {
    signal: name => send(target, name),
    isEmpty: () => !isThere(target),
  }
}

/** A program that shares our own group, with the descendants that `mark` in their environment or their parents lead to. */
export function listFamily(pid: number, mark: string): Members {
  return {
    signal(name) {
      for (const each of descendants(pid, mark)) send(each, name)
    },
    isEmpty: () => descendants(pid, mark).length === 0,
  }
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
  readonly clock: Pick<Clock, 'sleep'>
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

interface RunningProcess {
  readonly pid: number
  readonly parent: number
  /** True if its environment has the mark; false if it cannot be read. */
  readonly isMarked: boolean
}

/**
 * Lists a program and its running descendants: children by their parent and, by `mark`, an environment entry such as `RUN=7f3a`, those
 * whose parent has ended or that left the group. On Windows only the program.
 */
export function descendants(pid: number, mark: string): number[] {
  const all = readTable(mark)
  if (all === undefined) return isThere(pid) ? [pid] : []
  const found = new Set<number>()
  const add = (each: RunningProcess) => {
    if (found.has(each.pid) || each.pid === process.pid) return
    found.add(each.pid)
    for (const child of all) if (child.parent === each.pid) add(child)
  }
  for (const each of all) if (each.isMarked || each.pid === pid) add(each)
  return [...found]
}

/** Undefined where the system does not say. */
function readTable(mark: string): RunningProcess[] | undefined {
  if (process.platform === 'linux') return readProc(mark)
  if (process.platform === 'win32') return undefined
  const { status, stdout } = spawnSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,ppid=,stat=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  return status === 0 ? parseProcessList(stdout, mark) : undefined
}

/** Parses the output of `ps -A -E -ww -o pid=,ppid=,stat=,command=` on macOS, where the environment follows the command. */
export function parseProcessList(text: string, mark: string): RunningProcess[] {
  return text.split('\n').flatMap(line => {
    const [, pid, parent, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s*(.*)$/.exec(line) ?? []
    if (pid === undefined || state.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), isMarked: ` ${command} `.includes(` ${mark} `) }]
  })
}

function readProc(mark: string): RunningProcess[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return []
    try {
      // The program name is in brackets, and may contain brackets and spaces.
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z' || state === 'X') return []
      return [{ pid: Number(name), parent: Number(parent), isMarked: hasMark(name, mark) }]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

function hasMark(pid: string, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`.includes(`\0${mark}\0`)
  } catch {
    // Of another user, or with rights of its own.
    return false
  }
}
