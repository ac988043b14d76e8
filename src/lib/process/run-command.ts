import { type Clock, startTimer } from '../clock.ts'
import { createOutputLines } from './output-lines.ts'
import { endingText, startProgram } from './program.ts'
import type { ProgramEnvironment } from './program-environment.ts'

export type CommandOutput =
  /** A line that a program wrote, to stdout or stderr. */
  | { readonly kind: 'output'; readonly line: string }
  /** The program wrote more than these bytes, which are all that is shown. */
  | { readonly kind: 'output-cut'; readonly bytes: number }

/** `ended`: it still ran when `closing` aborted. `stderr` is the beginning of it. */
export type CommandResult =
  | { readonly ending: 'succeeded' }
  | { readonly ending: 'ended' }
  | { readonly ending: 'failed'; readonly reason: string; readonly stderr: string }

interface CommandOptions {
  /** For the shell of the platform. */
  readonly command: string
  /** Complete stdin. */
  readonly input: string
  /** Milliseconds; default: a minute. */
  readonly timeout?: number | undefined
  readonly cwd: string
  readonly env: ProgramEnvironment
  readonly clock: Clock
  readonly closing: AbortSignal
  onOutput(event: CommandOutput): void
}

/** From SIGTERM to SIGKILL. */
const shutdownTimeoutMs = 2000

/** Runs a command of the user to its end, or until it is late or `closing` aborts. Never rejects. */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { command, input, timeout = 60_000, cwd, env, clock, closing, onOutput } = options
  const output = shownOutput(onOutput)
  const program = await startProgram({
    ...{ command, input, cwd, env, clock },
    onOutput: output.push,
  })
  const reason = await new Promise<'closed' | 'late' | 'ended'>(resolve => {
    const onClose = () => resolve('closed')
    const cancel = startTimer(timeout, () => resolve('late'), clock)
    void program.exited.then(() => {
      cancel()
      closing.removeEventListener('abort', onClose)
      resolve('ended')
    })
    closing.addEventListener('abort', onClose)
    if (closing.aborted) onClose()
  })
  if (reason === 'ended') program.release()
  else await program.end(shutdownTimeoutMs)
  const ending = await program.ended
  output.end()
  if (reason === 'closed') return { ending: 'ended' }
  if (reason === 'ended' && ending.kind === 'exit' && ending.code === 0) return { ending: 'succeeded' }
  const failure = reason === 'late' ? `no end within ${timeout / 1000} s` : endingText(ending)
  return { ending: 'failed', reason: failure, stderr: output.stderr() }
}

/** Bytes of its output that are shown, and characters of a line and of stderr that are kept. */
const maxShownBytes = 64 * 1024
const maxLineLength = 4096
const maxStderrLength = 2000

/** Shows the lines that come, up to a limit for both streams together, drops the rest, and keeps the beginning of stderr. */
function shownOutput(onEvent: (event: CommandOutput) => void) {
  let stderr = ''
  let shownBytes = 0
  const show = (line: string) => onEvent({ kind: 'output', line })
  const lines = {
    stdout: createOutputLines(maxLineLength, show),
    stderr: createOutputLines(maxLineLength, line => {
      if (stderr.length < maxStderrLength) stderr += `${line}\n`
      show(line)
    }),
  }
  return {
    push(bytes: Buffer, stream: 'stdout' | 'stderr') {
      const room = maxShownBytes - shownBytes
      if (room < 0) return
      shownBytes += bytes.length
      lines[stream].push(bytes.subarray(0, room))
      if (bytes.length <= room) return
      for (const line of Object.values(lines)) line.end()
      onEvent({ kind: 'output-cut', bytes: maxShownBytes })
    },
    end() {
      if (shownBytes <= maxShownBytes) for (const line of Object.values(lines)) line.end()
    },
    stderr: () => stderr.slice(0, maxStderrLength).trimEnd(),
  }
}
