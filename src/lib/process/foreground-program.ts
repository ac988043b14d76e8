import { isatty } from 'node:tty'
import type { Clock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import type { CommandLine } from './command-line.ts'
import { createProgramGroup, familyOf, type ProgramGroup } from './program-group.ts'
import { type NotStarted, type ProgramEnding, spawnProgram } from './spawn-program.ts'

interface ForegroundOptions {
  readonly command: CommandLine
  readonly cwd: string
  /** All of its environment. */
  readonly env: Environment
  /** The variable of `env` whose value no other run has: by it descendants are found whose parents have ended. */
  readonly mark: string
  readonly clock: Pick<Clock, 'sleep'>
}

export interface ForegroundProgram extends Omit<ProgramGroup, 'release'> {
  /** Whether Ctrl-C reaches it from the terminal, without us. */
  readonly hearsTerminal: boolean
  /** Resolves once the program itself has ended. Never rejects. */
  readonly exited: Promise<Exclude<ProgramEnding, NotStarted>>
}

/**
 * Starts a program that has our stdin, stdout and stderr, and our place at the terminal: it stays in our process group, so
 * that it may read keys, and hears Ctrl-C, Ctrl-Z and Ctrl-\ itself. It ends with us, with its descendants.
 */
export async function startForeground({
  command,
  cwd,
  env,
  mark,
  clock,
}: ForegroundOptions): Promise<ForegroundProgram | NotStarted> {
  const hearsTerminal = [0, 1, 2].some(isatty)
  const started = await spawnProgram({
    command,
    cwd,
    env,
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ('kind' in started) return started
  const { pid, exited } = started
  const members = familyOf(pid, `${mark}=${env[mark]}`)
  const { signal, end } = createProgramGroup({ members, exited, hearsTerminal, clock })
  return { hearsTerminal, exited, signal, end }
}
