import type { ChildProcess } from 'node:child_process'
import type { Options } from 'execa'
import type { Environment } from '../environment.ts'
import type { CommandLine } from './command-line.ts'

export type ProgramEnding =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | NotStarted

export interface NotStarted {
  readonly kind: 'not-started'
  /** Of the system, such as `ENOENT`. */
  readonly code: string
  readonly message: string
}

interface SpawnOptions extends Pick<Options, 'stdin' | 'stdout' | 'stderr' | 'detached'> {
  /** A text goes to the shell as it is. */
  readonly command: CommandLine | string
  readonly cwd: string
  /** All of its environment. */
  readonly env: Environment
}

interface Spawned extends Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'> {
  readonly pid: number
  /** Resolves once the program itself has ended. Never rejects. */
  readonly exited: Promise<Exclude<ProgramEnding, NotStarted>>
  /** Resolves once nothing holds its output any more; a descendant may. Never rejects. */
  readonly closed: Promise<unknown>
}

/** Starts a program, on Windows also one that is a script for cmd.exe. execa is loaded at the first one. */
export async function spawnProgram({
  command,
  env,
  ...options
}: SpawnOptions): Promise<Spawned | NotStarted> {
  const { execa } = await import('execa')
  const settings = {
    ...options,
    env: { ...env },
    extendEnv: false,
    buffer: false,
    reject: false,
    cleanup: false,
    forceKillAfterDelay: false,
  } as const
  const child =
    typeof command === 'string'
      ? execa(command, { ...settings, shell: true })
      : execa(command.file, command.arguments, settings)
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined) {
    const { code = 'unknown', originalMessage, shortMessage } = await child
    return { kind: 'not-started', code, message: originalMessage ?? shortMessage ?? code }
  }
  const exited = new Promise<Exclude<ProgramEnding, NotStarted>>(resolve => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal }),
    )
  })
  return { pid, stdin, stdout, stderr, exited, closed: child }
}
