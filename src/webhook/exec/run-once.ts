import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import type { CommandLine } from '../../lib/process/command-line.ts'
import { createOutputLines } from '../../lib/process/output-lines.ts'
import {
  endingText,
  type Program,
  type ProgramEnding,
  startProgram,
} from '../../lib/process/start-program.ts'

export interface RunOptions {
  readonly command: CommandLine | string
  readonly input: string
  /** Milliseconds. */
  readonly timeout: number
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly grace: number
  readonly cwd: string
  readonly env: Environment
  readonly clock: Clock
  onEvent(event: RunEvent): void
}

export type RunEvent =
  | { readonly kind: 'output'; readonly line: string }
  | { readonly kind: 'output-cut'; readonly bytes: number }

export interface RunResult {
  /** Why it was no success, in words. */
  readonly failure: string | undefined
  /** The beginning of what it wrote there. */
  readonly stderr: string
  /** Whether stop() ended it; false when it had ended before. */
  readonly stopped: boolean
}

export interface Stoppable {
  /** Ends the program and its descendants, unless it ended by itself; resolves when what it wrote is read. */
  stop(): Promise<void>
}

export interface Run extends Stoppable {
  /** Never rejects. */
  readonly done: Promise<RunResult>
}

/** Bytes of its output that are shown, and characters of a line and of stderr that are kept. */
const maxShownBytes = 64 * 1024
const maxLineLength = 4096
const maxStderrLength = 2000

/**
 * Runs a program to its end, showing what it writes line by line. What is more than 64 KiB is read and dropped. What it
 * leaves running when it ends by itself is left alone; a program that is stopped or takes too long ends with its
 * descendants.
 */
export function runOnce(options: RunOptions): Run {
  const { command, input, timeout, grace, cwd, env, clock, onEvent } = options
  const stopping = new AbortController()

  const run = async (): Promise<RunResult> => {
    const output = shownOutput(onEvent)
    const program = await startProgram({ command, input, cwd, env, clock, onOutput: output.take })
    const reason = await reasonToEnd(program)
    if (reason === undefined) program.release()
    else await program.end(grace)
    const ending = await program.ended
    output.end()
    const failure = reason === 'late' ? `no end within ${timeout / 1000} s` : failureOf(ending, command)
    return { failure, stderr: output.stderr(), stopped: reason === 'stopped' }
  }
  /** Undefined once it has ended by itself. */
  const reasonToEnd = async ({ exited }: Program): Promise<'stopped' | 'late' | undefined> => {
    if (stopping.signal.aborted) return 'stopped'
    const over = new AbortController()
    const sleep = clock.sleep(timeout, AbortSignal.any([over.signal, stopping.signal]))
    const reason = await Promise.race([
      exited.then(() => undefined),
      sleep.then(
        () => 'late' as const,
        () => 'stopped' as const,
      ),
    ])
    over.abort()
    return reason
  }
  const done = run()
  return {
    done,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

/** Shows what comes, up to a limit for both streams together, and keeps the beginning of stderr. */
function shownOutput(onEvent: (event: RunEvent) => void) {
  let stderr = ''
  let shown = 0
  const show = (line: string) => onEvent({ kind: 'output', line })
  const lines = {
    stdout: createOutputLines(maxLineLength, show),
    stderr: createOutputLines(maxLineLength, line => {
      if (stderr.length < maxStderrLength) stderr += `${line}\n`
      show(line)
    }),
  }
  return {
    take(bytes: Buffer, stream: 'stdout' | 'stderr') {
      const room = maxShownBytes - shown
      if (room < 0) return
      shown += bytes.length
      lines[stream].push(bytes.subarray(0, room))
      if (bytes.length <= room) return
      for (const each of Object.values(lines)) each.end()
      onEvent({ kind: 'output-cut', bytes: maxShownBytes })
    },
    end() {
      if (shown <= maxShownBytes) for (const each of Object.values(lines)) each.end()
    },
    stderr: () => stderr.slice(0, maxStderrLength).trimEnd(),
  }
}

function failureOf(ending: ProgramEnding, command: CommandLine | string): string | undefined {
  if (ending.kind !== 'exit') return endingText(ending)
  if (ending.code === 0) return undefined
  // What a shell says of a command that it cannot run.
  if (typeof command === 'string' && ending.code === 127)
    return `${endingText(ending)} (a command was not found)`
  return endingText(ending)
}
