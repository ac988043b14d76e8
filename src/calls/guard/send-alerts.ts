import { postEvent } from '../../events/forward/index.ts'
import { atMost, type Clock } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import { findMissingProgram } from '../../lib/process/missing-program.ts'
import type { ProgramEnvironment } from '../../lib/process/program-environment.ts'
import { type CommandOutput, runCommand } from '../../lib/process/run-command.ts'
import { createKeyedQueue } from '../../lib/queue.ts'
import { toJsonLine } from '../../lib/text/escape.ts'
import type { GuardAction, GuardRule } from './guard-rule.ts'
import type { AlertFailure, GuardAlert } from './guard-schemas.ts'

interface SenderOptions {
  readonly rules: readonly GuardRule[]
  /** Guard file, absolute, and its folder, in which commands run. */
  readonly file: string
  readonly folder: string
  readonly env: ProgramEnvironment
  readonly clock: Clock
  /** Milliseconds for a request. */
  readonly timeout: number
  onOutput(rule: string, output: CommandOutput): void
  onFailed(failure: AlertFailure): void
}

interface Delivery {
  readonly alert: GuardAlert
  readonly action: GuardAction
}

const maxConcurrent = 4
/** Waits between the attempts to send a request. */
const retryWaitsMs = [1000, 15_000]

/** Reason of an alert that was still to be delivered when the process ended. */
const noTimeLeft = 'no time left before exit'

/**
 * Delivers alerts while the process runs: those of one rule in order, rules concurrently. A request is sent again only if it cannot have
 * arrived, or the server asks for it.
 * @throws CallyardError `usage` for a command whose program is missing
 */
export async function createAlertSender(options: SenderOptions) {
  const { rules, file, folder, env, clock, timeout, onOutput, onFailed } = options
  for (const { name, action } of rules) {
    if (action?.kind !== 'exec') continue
    const program = await findMissingProgram(action.command, { cwd: folder, env })
    if (program !== undefined) throw commandMissing(file, name, program)
  }
  const closing = new AbortController()
  const totals = { delivered: 0, failed: 0 }

  type Failure = Omit<AlertFailure, 'kind' | 'id' | 'rule' | 'alert'>
  const report = ({ kind: alert, id, rule }: GuardAlert, failure: Failure) =>
    onFailed({ kind: 'guard-failed', id, rule, alert, ...failure })
  const fail = (alert: GuardAlert, failure: Failure) => {
    totals.failed++
    report(alert, failure)
  }
  const exec = async (alert: GuardAlert, command: string) => {
    const result = await runCommand({
      ...{ command, cwd: folder, env, clock, closing: closing.signal },
      input: `${toJsonLine(alert)}\n`,
      onOutput: output => onOutput(alert.rule, output),
    })
    if (result.ending === 'succeeded') totals.delivered++
    if (result.ending === 'ended') fail(alert, { reason: 'it was still running on exit' })
    if (result.ending === 'failed') fail(alert, { reason: result.reason, stderr: result.stderr })
  }
  const post = async (alert: GuardAlert, { url, headers }: Extract<GuardAction, { kind: 'post' }>) => {
    for (const retryMs of [...retryWaitsMs, undefined]) {
      const response = await postEvent({
        ...{ url, headers, timeout, clock, signal: closing.signal },
        body: toJsonLine(alert),
        contentType: 'application/json',
      }).catch((error: unknown) => {
        if (error instanceof CallyardError && error.kind === 'cancelled') return undefined
        throw error
      })
      if (response === undefined) break
      const status = 'status' in response ? response.status : undefined
      if (status !== undefined && status >= 200 && status < 300) {
        totals.delivered++
        return
      }
      const isRetryable = 'failure' in response ? response.failure.unsent : status === 429 || status === 503
      const reason = 'failure' in response ? response.failure.reason : `the server responded ${status}`
      if (!isRetryable || retryMs === undefined) return fail(alert, { reason, status })
      report(alert, { reason, status, retryMs })
      await clock.sleep(retryMs, closing.signal).catch(() => undefined)
      if (closing.signal.aborted) break
    }
    fail(alert, { reason: noTimeLeft })
  }
  const queue = createKeyedQueue<Delivery>(maxConcurrent, async ({ alert, action }) => {
    if (closing.signal.aborted) fail(alert, { reason: noTimeLeft })
    else if (action.kind === 'exec') await exec(alert, action.command)
    else await post(alert, action)
  })
  return {
    send: (alert: GuardAlert, action: GuardAction): void => queue.push(alert.rule, { alert, action }),
    /** Alerts that are not delivered. */
    get left() {
      return queue.left
    },
    totals: totals as Readonly<typeof totals>,
    /** Waits for deliveries up to this time, then reports those that are left as failed. */
    async close(deadlineMs: number): Promise<void> {
      await atMost(deadlineMs, queue.fewer(1), clock)
      closing.abort()
      await queue.fewer(1)
    },
  }
}

const commandMissing = (file: string, rule: string, program: string) =>
  new CallyardError('usage', `${file}: rule ${JSON.stringify(rule)}: command not found: ${program}`, {
    code: 'guard-command-missing',
    hint: 'use a command in PATH, or the path of an executable file relative to the folder of the rules, such as ./alert.sh',
    details: { file, rule, program },
  })
