import type { Clock, Environment } from '../../context.ts'
import type { MessageChange } from '../changes.ts'
import { createLanes } from '../lanes.ts'
import { parseCommandLine } from '../processes/command-line.ts'
import { type RunNews, runOnce, type Stoppable } from './run-once.ts'

export interface ExecOptions {
  /** As it was typed. */
  readonly command: string
  /** Hands the command to the shell as it is. */
  readonly shell: boolean
  /** Programs that run at a time; 4 unless told. */
  readonly atOnce?: number | undefined
  /** Milliseconds for one program; a minute unless told. */
  readonly timeout?: number | undefined
  readonly cwd: string
  readonly env: Environment
  readonly clock: Clock
  /** Once it aborts, nobody is kept waiting for room. */
  readonly signal: AbortSignal
  /** What a program reads of a message, with its newline. */
  line(change: MessageChange): string
  /** Must not throw. */
  tell(news: ExecNews): void
}

/** Which message a program ran for. */
interface ForMessage {
  readonly callId: string | null
  readonly messageId: string | null
}

export type ExecNews =
  /** A line that a program wrote, to stdout or stderr. */
  | (ForMessage & { readonly kind: 'output'; readonly line: string })
  /** It writes more than is shown. */
  | (ForMessage & { readonly kind: 'output-cut'; readonly bytes: number })
  /** `last`: further failures for this reason are counted only. */
  | (ForMessage & {
      readonly kind: 'failed'
      readonly reason: string
      /** The beginning of it. */
      readonly stderr: string
      readonly last: boolean
    })

export interface ExecTotals {
  /** Messages whose program ended with exit code 0. */
  readonly succeeded: number
  readonly failed: number
  /** Of those that failed, how many were counted only. */
  readonly notTold: number
  /** Programs that were ended at the close. */
  readonly ended: number
  /** Messages for which none was started before the close. */
  readonly notRun: number
}

export interface Exec {
  /** Runs the program for a message, after those of the same call. */
  take(change: MessageChange): void
  /** Resolves when so few messages wait that more can be taken. */
  room(): Promise<void>
  /** Messages whose program has not ended. */
  readonly left: number
  /** Lets programs run for so many milliseconds, then ends those that are left. */
  close(deadline: number): Promise<ExecTotals>
}

/** Messages and characters that may wait for a program. */
const mostWaiting = 1000
const mostCharacters = 8 * 1024 ** 2
/** Failures for one reason that are told one by one. */
const mostTold = 20
/** How long a program may take from SIGTERM to its end, in milliseconds. */
const grace = 2000

/**
 * Runs a program for each message, its JSON on stdin: messages of one call one after the other in their order, calls
 * side by side. Failures are told and counted, and stop nothing.
 * @throws CliError `usage` for a command that only a shell understands.
 */
export function createExec(options: ExecOptions): Exec {
  const { shell, atOnce = 4, timeout = 60_000, cwd, env, clock, signal, line, tell } = options
  const command = shell
    ? options.command
    : parseCommandLine(options.command, { flag: '--exec', forShell: 'give --exec-shell too' })
  const running = new Set<Stoppable>()
  const told = new Map<string, number>()
  const totals = { succeeded: 0, failed: 0, notTold: 0, ended: 0, notRun: 0 }
  let characters = 0
  let closing = false
  let wake = () => {}

  const fail = (change: MessageChange, reason: string, stderr: string) => {
    totals.failed++
    const times = (told.get(reason) ?? 0) + 1
    told.set(reason, times)
    if (times > mostTold) totals.notTold++
    else tell({ kind: 'failed', ...idsOf(change), reason, stderr, last: times === mostTold })
  }
  const run = async (change: MessageChange) => {
    const news = (said: RunNews) => tell({ ...said, ...idsOf(change) })
    const work = runOnce({ command, input: line(change), timeout, grace, cwd, env, clock, tell: news })
    running.add(work)
    const { failure, stderr, stopped } = await work.done
    running.delete(work)
    if (stopped) totals.ended++
    else if (failure === undefined) totals.succeeded++
    else fail(change, failure, stderr)
  }
  const lanes = createLanes<MessageChange>(atOnce, async change => {
    if (closing) totals.notRun++
    else await run(change)
    characters -= change.text.length
    wake()
  })
  const isFull = () => lanes.left >= mostWaiting || characters >= mostCharacters
  signal.addEventListener('abort', () => wake(), { once: true })

  const close = async (deadline: number): Promise<ExecTotals> => {
    const waiting = new AbortController()
    const patience = clock.sleep(deadline, waiting.signal).catch(() => undefined)
    await Promise.race([lanes.fewer(1), patience])
    waiting.abort()
    closing = true
    wake()
    await Promise.all([...running].map(work => work.stop()))
    await lanes.fewer(1)
    return totals
  }
  let closed: Promise<ExecTotals> | undefined
  return {
    take(change) {
      characters += change.text.length
      lanes.push(change.callId, change)
    },
    async room() {
      while (isFull() && !closing && !signal.aborted) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
    get left() {
      return lanes.left
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
