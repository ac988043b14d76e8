import { atMost, type Clock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import type { CommandLine } from './command-line.ts'
import { createProgramGroup, groupOf, hasGroups } from './program-group.ts'
import { type NotStarted, type ProgramEnding, spawnProgram } from './spawn-program.ts'

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
const ourKeys = ['CALLWRIGHT_API_KEY', 'CALLWRIGHT_LLM_API_KEY', 'CALLWRIGHT_JUDGE_API_KEY']

/**
 * Starts a program as the head of a process group, which end() ends and which ends with us. A program that could not be
 * started is one that has ended, as `not-started`.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { command, input, cwd, env, clock, onOutput } = options
  const started = await spawnProgram({
    command,
    cwd,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !ourKeys.includes(name))),
    detached: hasGroups,
    stdin: input === undefined ? 'ignore' : 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if ('kind' in started) {
    const ended = Promise.resolve(started)
    return { failure: started, exited: ended, ended, end: async () => undefined, release: () => undefined }
  }
  const { pid, stdin, stdout, stderr, exited, closed } = started
  stdout?.on('data', (bytes: Buffer) => onOutput(bytes, 'stdout'))
  stderr?.on('data', (bytes: Buffer) => onOutput(bytes, 'stderr'))
  // A program need not read what it is given.
  stdin?.on('error', () => undefined)
  stdin?.end(input)

  const group = createProgramGroup({ members: groupOf(pid), exited, clock })
  const ended = exited.then(async ending => {
    await atMost(maxOutputAfterExitMs, closed, clock)
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
