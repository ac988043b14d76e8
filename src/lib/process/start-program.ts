import { atMost } from '../async/timer.ts'
import type { Clock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import type { CommandLine } from './command-line.ts'
import { createProgramGroup, hasGroups } from './program-group.ts'

export interface ProgramOptions {
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
