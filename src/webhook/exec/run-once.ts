import type { Clock, Environment } from '../../context.ts'
import type { CommandLine } from '../processes/command-line.ts'
import { createOutputLines } from '../processes/output-lines.ts'
import { type Ending, endingText, startProgram } from '../processes/start-program.ts'

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
  tell(news: RunNews): void
}

export type RunNews =
  | { readonly kind: 'output'; readonly line: string }
  | { readonly kind: 'output-cut'; readonly bytes: number }

export interface RunResult {
  /** Why it was no success, in words. */
  readonly failure: string | undefined
  /** The beginning of what it wrote there. */
  readonly stderr: string
  /** Whether stop() ended it. */
  readonly stopped: boolean
}

export interface Stoppable {
  /** Ends the program and its descendants; resolves when it has ended. */
  stop(): Promise<void>
}

export interface Run extends Stoppable {
  /** Never rejects. */
  readonly done: Promise<RunResult>
}

/** Bytes of its output that are shown, and characters of a line and of stderr that are kept. */
const mostShown = 64 * 1024
const longestLine = 4096
const mostOfStderr = 2000

/** Runs a program to its end, showing what it writes line by line. What is more than 64 KiB is read and dropped. */
export function runOnce(options: RunOptions): Run {
  const { command, input, timeout, grace, cwd, env, clock, tell } = options
  let stopped = false
  let timedOut = false
  const stopping = new AbortController()

  const run = async (): Promise<RunResult> => {
    const output = shownOutput(tell)
    const program = await startProgram({ command, input, cwd, env, clock, onOutput: output.take })
    const end = () => program.end(grace)
    if (stopped) void end()
    else stopping.signal.addEventListener('abort', end, { once: true })
    const timer = new AbortController()
    clock.sleep(timeout, timer.signal).then(
      () => {
        timedOut = !stopped
        return end()
      },
      () => undefined,
    )
    const ending = await program.ended
    timer.abort()
    output.end()
    const failure = timedOut ? `no end within ${timeout / 1000} s` : failureOf(ending, command)
    return { failure, stderr: output.stderr(), stopped }
  }
  const done = run()
  return {
    done,
    async stop() {
      stopped = true
      stopping.abort()
      await done
    },
  }
}

/** Shows what comes, up to a limit for both streams together, and keeps the beginning of stderr. */
function shownOutput(tell: (news: RunNews) => void) {
  let stderr = ''
  let shown = 0
  const show = (line: string) => tell({ kind: 'output', line })
  const lines = {
    stdout: createOutputLines(longestLine, show),
    stderr: createOutputLines(longestLine, line => {
      if (stderr.length < mostOfStderr) stderr += `${line}\n`
      show(line)
    }),
  }
  return {
    take(bytes: Buffer, stream: 'stdout' | 'stderr') {
      const room = mostShown - shown
      if (room < 0) return
      shown += bytes.length
      lines[stream].push(bytes.subarray(0, room))
      if (bytes.length <= room) return
      for (const each of Object.values(lines)) each.end()
      tell({ kind: 'output-cut', bytes: mostShown })
    },
    end() {
      if (shown <= mostShown) for (const each of Object.values(lines)) each.end()
    },
    stderr: () => stderr.slice(0, mostOfStderr).trimEnd(),
  }
}

function failureOf(ending: Ending, command: CommandLine | string): string | undefined {
  if (ending.kind !== 'exit') return endingText(ending)
  if (ending.code === 0) return undefined
  // What a shell says of a command that it cannot run.
  if (typeof command === 'string' && ending.code === 127)
    return `${endingText(ending)} (a command was not found)`
  return endingText(ending)
}
