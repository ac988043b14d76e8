import type { ChildProcess } from 'node:child_process'
import process from 'node:process'
import { atMost, type Clock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import { codeOf } from '../error.ts'
import type { CommandLine } from './command-line.ts'

interface ProgramOptions {
  /** A text goes to the shell as it is. */
  readonly command: CommandLine | string
  /** All of its stdin; without one it has none. */
  readonly input?: string
  readonly cwd: string
  /** What it inherits, but for our keys. */
  readonly env: Environment
  readonly clock: Pick<Clock, 'sleep'>
  onOutput(bytes: Buffer, stream: 'stdout' | 'stderr'): void
}

export type ProgramEnding =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | NotStarted

export interface NotStarted {
  readonly kind: 'not-started'
  /** Of the system, such as `ENOENT`. */
  readonly code: string
  readonly message: string
}

export interface Program {
  /** Why it could not be started; `exited` and `ended` say the same. */
  readonly failure?: NotStarted
  /** Resolves once the program itself has ended. Never rejects. */
  readonly exited: Promise<ProgramEnding>
  /** Resolves once it has ended and what it wrote is read. Never rejects. */
  readonly ended: Promise<ProgramEnding>
  /**
   * SIGTERM to it and its descendants, and SIGKILL to those that are still there after `shutdownTimeoutMs`; also when it
   * has ended and they have not. Resolves when all have.
   */
  end(shutdownTimeoutMs: number): Promise<void>
  /** Leaves it and its descendants alone: from now on neither end() nor our own end is theirs. */
  release(): void
}

/** How long output may still come once a program has ended: a descendant may hold it open for ever. */
const maxOutputAfterExitMs = 1000

/** Keys are for us; a program that needs one has its own way to it. */
const ourKeys = ['CALLWRIGHT_API_KEY', 'CALLWRIGHT_LLM_API_KEY']

/**
 * Starts a program as the head of a process group, which end() ends and which ends with us. execa is loaded at the first
 * one. A program that could not be started is one that has ended, as `not-started`.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { command, input, cwd, env, clock, onOutput } = options
  const { execa } = await import('execa')
  const settings = {
    cwd,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !ourKeys.includes(name))),
    extendEnv: false,
    detached: hasGroups,
    stdin: input === undefined ? 'ignore' : 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    forceKillAfterDelay: false,
  } as const
  const child =
    typeof command === 'string'
      ? execa(command, { ...settings, shell: true })
      : execa(command.file, command.arguments, settings)
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined) {
    const { code = 'unknown', originalMessage, shortMessage } = await child
    const ending = { kind: 'not-started', code, message: originalMessage ?? shortMessage ?? code } as const
    const ended = Promise.resolve(ending)
    return { failure: ending, exited: ended, ended, end: async () => undefined, release: () => undefined }
  }

  const exited = new Promise<ProgramEnding>(resolve => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal }),
    )
  })
  stdout?.on('data', (bytes: Buffer) => onOutput(bytes, 'stdout'))
  stderr?.on('data', (bytes: Buffer) => onOutput(bytes, 'stderr'))
  // A program need not read what it is given.
  stdin?.on('error', () => undefined)
  stdin?.end(input)

  const group = createProgramGroup({ child, pid, exited, clock })
  const ended = exited.then(async ending => {
    // execa waits for all that hold its output, descendants too.
    await atMost(maxOutputAfterExitMs, child, clock)
    stdout?.destroy()
    stderr?.destroy()
    return ending
  })
  return {
    exited,
    ended,
    async end(shutdownTimeoutMs) {
      await group.end(shutdownTimeoutMs)
      await ended
    },
    release: group.release,
  }
}

/** What an ending was, in words. */
export function endingText(ending: ProgramEnding): string {
  if (ending.kind === 'exit') return `exit code ${ending.code}`
  if (ending.kind === 'signal') return `ended by ${ending.signal}`
  if (ending.code === 'ENOENT') return 'the program was not found'
  if (ending.code === 'EACCES') return 'no permission to run the program'
  return `could not be started: ${ending.message}`
}

// Groups are reached through the process alone; core has nothing else of it.

/** Whether a program can be started as the head of a group, so that its descendants end with it. */
const hasGroups = process.platform !== 'win32'

/** Sends a signal to a program and to all of its descendants that did not leave its group. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // ESRCH: all have ended. EPERM: macOS says so of ended processes that no parent has waited for yet.
    const code = codeOf(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

/** Whether a program and all descendants that did not leave its group have ended. */
function isGroupEmpty(pid: number): boolean {
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
function endGroupWithUs(pid: number): () => void {
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
interface ProgramGroup {
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
function createProgramGroup({ child, pid, exited, clock }: Head): ProgramGroup {
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
