import { constants } from 'node:os'
import { isatty } from 'node:tty'
import type { Options } from 'execa'
import { atMost, onNextTurn, type Sleeper } from '../clock.ts'
import type { Environment } from '../environment.ts'
import type { ProgramEnvironment } from './program-environment.ts'
import { createProgramGroup, hasGroups, listAlone, listGroup } from './program-group.ts'

type Ended =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }

export interface NotStarted {
  readonly kind: 'not-started'
  readonly message: string
}

export type ProgramEnding = Ended | NotStarted

interface ProgramOptions {
  /** Command of the user for the shell of the platform. Nothing from outside may be part of it. */
  readonly command: string
  /** Complete stdin. Default: none. */
  readonly input?: string
  readonly cwd: string
  readonly env: ProgramEnvironment
  readonly clock: Sleeper
  onOutput(bytes: Buffer, stream: 'stdout' | 'stderr'): void
}

/** Milliseconds to read output after the program has ended: a descendant may keep it open forever. */
const maxOutputAfterExitMs = 1000

/**
 * Starts a command of the user in a shell, as the head of a process group, which end() ends and which ends with us. If the shell cannot be
 * started, it has ended as `not-started`; a command that the shell cannot run ends with exit code 126 or 127.
 */
export async function startProgram(options: ProgramOptions) {
  const { command, input, cwd, env, clock, onOutput } = options
  const child = await spawn(command, [], {
    shell: true,
    cwd,
    env: { ...env },
    detached: hasGroups,
    stdin: input === undefined ? 'ignore' : 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if ('kind' in child) {
    const ended = Promise.resolve<ProgramEnding>(child)
    return { failure: child, exited: ended, ended, end: async () => undefined, release: () => undefined }
  }
  const { pid, stdin, stdout, stderr, exited, closed } = child
  stdout?.on('data', (bytes: Buffer) => onOutput(bytes, 'stdout'))
  stderr?.on('data', (bytes: Buffer) => onOutput(bytes, 'stderr'))
  // A program may ignore its stdin.
  stdin?.on('error', () => undefined)
  stdin?.end(input)

  const group = createProgramGroup({ members: listGroup(pid), exited, clock })
  const ended = exited.then(async ending => {
    await atMost(maxOutputAfterExitMs, closed, clock)
    stdout?.destroy()
    stderr?.destroy()
    return ending
  })
  return {
    /** Why it could not be started; then `exited` and `ended` say the same. */
    failure: undefined,
    /** Resolves once the program itself has ended. Never rejects. */
    exited,
    /** Resolves once it has ended and what it wrote is read; `end` waits for it too. Never rejects. */
    ended,
    async end(shutdownTimeoutMs: number) {
      await group.end(shutdownTimeoutMs)
      await ended
    },
    release: group.release,
  }
}

interface ForegroundOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Complete environment. */
  readonly env: Environment
  readonly clock: Sleeper
}

/**
 * Starts a program that has our stdin, stdout and stderr. Without a terminal it leads a process group. At a terminal it stays in ours, so
 * that it may read keys, and hears Ctrl-C, Ctrl-Z and Ctrl-\ itself; see endJob for its descendants then. It ends with us.
 * `hearsTerminal`: whether Ctrl-C reaches it from the terminal, without us.
 */
export async function startForeground({ file, args, cwd, env, clock }: ForegroundOptions) {
  const hearsTerminal = [0, 1, 2].some(isatty)
  const child = await spawn(file, args, {
    ...{ cwd, env: { ...env }, detached: hasGroups && !hearsTerminal },
    ...{ stdin: 'inherit', stdout: 'inherit', stderr: 'inherit' },
  })
  if ('kind' in child) return child
  const { pid, exited } = child
  const members = hasGroups && hearsTerminal ? listAlone(pid) : listGroup(pid)
  const { signal, end } = createProgramGroup({ members, exited, hearsTerminal, clock })
  return { hearsTerminal, exited, signal, end }
}

/** Starts a program, on Windows also one that is a script for cmd.exe. execa is loaded at the first one. */
async function spawn(file: string, args: readonly string[], options: Options) {
  const { execa } = await import('execa')
  const child = execa(file, args, {
    ...options,
    extendEnv: false,
    buffer: false,
    reject: false,
    cleanup: false,
    forceKillAfterDelay: false,
  })
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined) {
    const { originalMessage, shortMessage = 'unknown error' } = await child
    const failure: NotStarted = { kind: 'not-started', message: originalMessage ?? shortMessage }
    return failure
  }
  /**
   * Resolves once the program itself has ended, and signals that we got before were handled: they may be read after the end of a child, in
   * the same turn or in the next one. Never rejects.
   */
  const exited = new Promise<Ended>(resolve => {
    child.once('exit', (code, signal) => {
      const ended: Ended = signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal }
      onNextTurn(() => onNextTurn(() => resolve(ended)))
    })
  })
  /** `closed` resolves once nothing holds its output any more; a descendant may. Never rejects. */
  return { pid, stdin, stdout, stderr, exited, closed: child as Promise<unknown> }
}

/** Describes how a program ended. */
export function endingText(ending: ProgramEnding): string {
  if (ending.kind === 'signal') return `ended by ${ending.signal}`
  if (ending.kind === 'not-started') return `could not be started: ${ending.message}`
  const { code } = ending
  const [signal] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? []
  const reason = shellReasons[code] ?? signal
  return `exit code ${code}${reason === undefined ? '' : ` (${reason})`}`
}

/** Exit codes of a shell for a command that it cannot run; 9009 is that of cmd.exe. */
const shellReasons: Readonly<Record<number, string>> = {
  126: 'the command cannot be executed',
  127: 'command not found',
  9009: 'command not found',
}
