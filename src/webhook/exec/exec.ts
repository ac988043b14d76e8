import type { Clock } from '../../lib/clock.ts'
import { atMost } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { type CommandLine, parseCommandLine } from '../../lib/process/command-line.ts'
import { createKeyedQueue } from '../../lib/queue.ts'
import { callKeyOf, type MessageChange } from '../conversation/changes.ts'
import { type RunEvent, runOnce, type Stoppable } from './run-once.ts'

export interface ExecOptions {
  /** As it was typed. */
  readonly command: string
  /** Hands the command to the shell as it is. */
  readonly shell: boolean
  /** Programs that run at a time; default: 4. */
  readonly atOnce?: number | undefined
  /** Milliseconds for one program; default: a minute. */
  readonly timeout?: number | undefined
  readonly cwd: string
  readonly env: Environment
  readonly clock: Clock
  /** Whose rules split the command; default: this machine's. */
  readonly platform?: NodeJS.Platform
  /** What a program reads of a message, with its newline. */
  line(change: MessageChange): string
  /** Must not throw. */
  onEvent(event: ExecEvent): void
}

/** Which message a program ran for. */
interface ForMessage {
  readonly callId: string | null
  readonly messageId: string | null
}

export type ExecEvent =
  /** A line that a program wrote, to stdout or stderr. */
  | (ForMessage & { readonly kind: 'output'; readonly line: string })
  /** It writes more than is shown. */
  | (ForMessage & { readonly kind: 'output-cut'; readonly bytes: number })
  /** `stderr` is the beginning of it. */
  | (ForMessage & { readonly kind: 'failed'; readonly reason: string; readonly stderr: string })
  /** So many messages wait that further ones are not run, until half of them are done. */
  | { readonly kind: 'behind'; readonly waiting: number }

export interface ExecTotals {
  /** Messages whose program ended with exit code 0. */
  readonly succeeded: number
  readonly failed: number
  /** Programs that were ended at the close. */
  readonly ended: number
  /** Messages for which none was started: too many waited, or the close came before. */
  readonly notRun: number
}

export interface Exec {
  /** Runs the program for a message, after those of the same call; not when too many wait. */
  take(change: MessageChange): void
  /** Messages whose program has not ended. */
  readonly left: number
  /** Lets programs run for this many milliseconds, then ends those that are left. */
  close(deadline: number): Promise<ExecTotals>
}

/** Messages, and characters of their texts, that may wait for a program: nobody else waits for one. */
const maxWaiting = 10_000
const maxWaitingCharacters = 8 * 1024 ** 2
/** How long a program may take from SIGTERM to its end, in milliseconds. */
const shutdownTimeoutMs = 2000

/** @throws CallwrightError `usage` for a command that only a shell understands. */
export function execCommand(typed: string, platform?: NodeJS.Platform): CommandLine {
  return parseCommandLine(typed, { flag: '--exec', forShell: 'give --exec-shell too', platform })
}

/**
 * Runs a program for each message, its JSON on stdin: messages of one call one after the other in their order, calls
 * side by side. Failures are told and counted, and stop nothing. A program has ended when it did itself: what it leaves
 * running is left alone.
 * @throws CallwrightError `usage` for a command that only a shell understands.
 */
export function createExec(options: ExecOptions): Exec {
  const { shell, atOnce = 4, timeout = 60_000, cwd, env, clock, line, onEvent } = options
  const command = shell ? options.command : execCommand(options.command, options.platform)
  const running = new Set<Stoppable>()
  const totals = { succeeded: 0, failed: 0, ended: 0, notRun: 0 }
  let characters = 0
  let isBehind = false
  let closing = false

  const run = async (change: MessageChange) => {
    const event = (said: RunEvent) => onEvent({ ...said, ...idsOf(change) })
    const work = runOnce({
      command,
      input: line(change),
      timeout,
      grace: shutdownTimeoutMs,
      cwd,
      env,
      clock,
      onEvent: event,
    })
    running.add(work)
    const { failure, stderr, stopped } = await work.done
    running.delete(work)
    if (stopped) totals.ended++
    else if (failure === undefined) totals.succeeded++
    else {
      totals.failed++
      onEvent({ kind: 'failed', ...idsOf(change), reason: failure, stderr })
    }
  }
  const queue = createKeyedQueue<MessageChange>(atOnce, async change => {
    if (closing) totals.notRun++
    else await run(change)
    characters -= change.text.length
  })
  /** Whether at least this share of what may wait does. */
  const isFilled = (share: number) =>
    queue.left >= maxWaiting * share || characters >= maxWaitingCharacters * share

  const close = async (deadline: number): Promise<ExecTotals> => {
    await atMost(deadline, queue.fewer(1), clock)
    closing = true
    await Promise.all([...running].map(work => work.stop()))
    await queue.fewer(1)
    return totals
  }
  let closed: Promise<ExecTotals> | undefined
  return {
    take(change) {
      if (isBehind) isBehind = isFilled(1 / 2)
      else if (isFilled(1)) {
        isBehind = true
        onEvent({ kind: 'behind', waiting: queue.left })
      }
      if (isBehind) {
        totals.notRun++
        return
      }
      characters += change.text.length
      queue.push(callKeyOf(change), change)
    },
    get left() {
      return queue.left
    },
    close(deadline) {
      closed ??= close(deadline)
      return closed
    },
  }
}

function idsOf({ callId, messageId }: MessageChange): ForMessage {
  return { callId, messageId }
}
