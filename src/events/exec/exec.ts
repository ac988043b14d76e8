import { setMaxListeners } from 'node:events'
import type * as z from 'zod/mini'
import { atMost, type Clock } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import { findMissingProgram } from '../../lib/process/missing-program.ts'
import type { ProgramEnvironment } from '../../lib/process/program-environment.ts'
import { type CommandOutput, type CommandResult, runCommand } from '../../lib/process/run-command.ts'
import { createDeferred, createKeyedQueue } from '../../lib/queue.ts'
import { getCallKey, type MessageChange } from '../conversation/index.ts'
import type { execFailedSchema, execTotalsSchema } from './exec-schemas.ts'

export interface ExecOptions {
  /** For the shell of the platform. */
  readonly command: string
  /** Programs that run at a time; default: 4. */
  readonly atOnce?: number | undefined
  /** Milliseconds for one program; default: a minute. */
  readonly timeout?: number | undefined
  readonly cwd: string
  readonly env: ProgramEnvironment
  readonly clock: Clock
  /** Returns the stdin line of a message, with its newline. */
  line(change: MessageChange): string
  /** Must not throw. */
  onEvent(event: ExecEvent): void
}

export type ExecEvent =
  | (CommandOutput & { readonly callId: string | null; readonly messageId: string | null })
  | Readonly<z.infer<typeof execFailedSchema>>
  /** Too many messages wait: further ones are not run until half of these are done. */
  | { readonly kind: 'behind'; readonly waiting: number }

export type ExecTotals = Readonly<z.infer<typeof execTotalsSchema>>

export type Exec = Awaited<ReturnType<typeof createExec>>

interface QueuedMessage {
  readonly change: MessageChange
  onEnded(): void
}

/** Messages, and characters of their texts, that may wait for a program. */
const maxWaiting = 10_000
const maxWaitingCharacters = 8 * 1024 ** 2

/**
 * Runs a command for each message with JSON on stdin: messages of one call in order, calls concurrently. Failures are reported and
 * counted, and stop nothing. Processes that a program leaves running are kept; a program that takes too long, or still runs after close,
 * ends with its descendants.
 * @throws CallyardError `usage` if its program is missing
 */
export async function createExec(options: ExecOptions) {
  const { atOnce = 4, clock, onEvent } = options
  const program = await findMissingProgram(options.command, options)
  if (program !== undefined)
    throw new CallyardError('usage', `command not found: ${program}`, {
      code: 'exec-not-found',
      hint: 'use its path, or a name in PATH',
      details: { program },
    })
  const totals: z.infer<typeof execTotalsSchema> = { succeeded: 0, failed: 0, ended: 0, notRun: 0 }
  const closing = new AbortController()
  // Each running program listens to it.
  setMaxListeners(0, closing.signal)
  let characters = 0
  let isBehind = false

  const queue = createKeyedQueue<QueuedMessage>(atOnce, async ({ change, onEnded }) => {
    const ending = closing.signal.aborted ? 'notRun' : await run(change, options, closing.signal)
    totals[ending]++
    characters -= change.text.length
    if (ending !== 'notRun' && ending !== 'ended') onEnded()
  })
  /** True if at least this share of the queue is used. */
  const isFilled = (share: number) =>
    queue.left >= maxWaiting * share || characters >= maxWaitingCharacters * share

  const close = async (deadline: number): Promise<ExecTotals> => {
    await atMost(deadline, queue.fewer(1), clock)
    closing.abort()
    await queue.fewer(1)
    return totals
  }
  let closed: Promise<ExecTotals> | undefined
  return {
    /**
     * Runs the program for a message, after those of the same call; not when too many wait. Resolves when it has ended by itself; never
     * if it was not run.
     */
    run(change: MessageChange): Promise<void> {
      const { promise, resolve: onEnded } = createDeferred()
      if (isBehind) isBehind = isFilled(1 / 2)
      else if (isFilled(1)) {
        isBehind = true
        onEvent({ kind: 'behind', waiting: queue.left })
      }
      if (isBehind) {
        totals.notRun++
        return promise
      }
      characters += change.text.length
      queue.push(getCallKey(change), { change, onEnded })
      return promise
    },
    /** Messages whose program has not ended. */
    get left() {
      return queue.left
    },
    /** Lets programs run for this many milliseconds, then ends those that are left. */
    close(deadline: number) {
      closed ??= close(deadline)
      return closed
    },
  }
}

/** Runs the program for a message to its end, and reports what it wrote and why it failed. Never rejects. */
async function run(
  change: MessageChange,
  { line, onEvent, ...options }: ExecOptions,
  closing: AbortSignal,
): Promise<CommandResult['ending']> {
  const { callId, messageId } = change
  const result = await runCommand({
    ...options,
    ...{ input: line(change), closing },
    onOutput: event => onEvent({ ...event, callId, messageId }),
  })
  if (result.ending === 'failed')
    onEvent({ kind: 'exec-failed', callId, messageId, reason: result.reason, stderr: result.stderr })
  return result.ending
}
