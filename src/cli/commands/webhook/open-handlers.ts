import { type ExecEvent, loadExec } from '../../../events/exec/index.ts'
import { type ForwardEvent, loadForwarder } from '../../../events/forward/index.ts'
import { webhookTypes } from '../../../interface/words.ts'
import { forwardFolder } from '../../../lib/fs/user-folders.ts'
import { createCounter } from '../../../lib/text/count.ts'
import { didYouMean } from '../../../lib/text/did-you-mean.ts'
import { oneLine, toJsonLine } from '../../../lib/text/escape.ts'
import { dim, text } from '../../../lib/text/text.ts'
import { attemptText, execFailureWords, type Forwarding, forwardWords } from '../../messages/tail.ts'
import type { Context } from '../../shell/context.ts'
import { eventTimeout } from './flags.ts'
import type { ListenOptions, TailFlags } from './tail-flags.ts'

type Output = Context['output']

/** Failures of one kind that stderr shows; --json prints each. */
const maxShown = 20

/**
 * The forwarder that `--forward` asks for. Its events are printed as they come; failures are data with --json.
 * @throws CallyardError `usage` when events cannot be kept on disk.
 */
export async function openForwarding(
  { targets, headers, requireHeader, skipRepeats, forwardRetries, resume, relay }: ListenOptions,
  context: Pick<Context, 'clock' | 'env' | 'options' | 'output'>,
) {
  if (targets.length === 0) return undefined
  const { openForwarder } = await loadForwarder()
  for (const { type } of targets) warnOfUnknownType(type, context.output)
  const folder = forwardFolder(context.env)
  return openForwarder({
    targets,
    // A relay keeps the events.
    folder: relay === undefined ? folder : undefined,
    onlyNew: skipRepeats === true,
    resume: resume === true,
    passHeaders: headers,
    secretHeader: requireHeader?.name,
    timeout: eventTimeout(context),
    retries: forwardRetries,
    clock: context.clock,
    onEvent: forwardReporter({ folder, targets }, context.output),
  })
}

/** A warning, as the service may send other types than the two of interface.md 6. */
function warnOfUnknownType(type: string | undefined, output: Output): void {
  if (type === undefined || webhookTypes.some(known => known === type)) return
  const meant = didYouMean(type, webhookTypes)
  if (meant !== undefined) output.warn(`--forward ${type}=…: unknown event type`, `did you mean ${meant}?`)
}

function forwardReporter(forwarding: Forwarding, output: Output): (event: ForwardEvent) => void {
  const timesOf = createCounter()
  return event => {
    if (event.kind !== 'forward-failed' && event.kind !== 'forward-retried') {
      const { message, hint, isNote } = forwardWords(event, forwarding)
      if (isNote === true) output.note(hint === undefined ? message : `${message}: ${hint}`)
      else output.warn(message, hint)
      return
    }
    output.event(event, () => undefined)
    if (output.json) return
    const { target, status, reason } = event
    const times = timesOf(`${event.kind} ${target} ${status ?? reason}`)
    if (times > maxShown) return
    const isLast = times === maxShown
    if (event.kind === 'forward-retried') {
      output.note(`${attemptText(event)}; retrying in ${event.again / 1000} s`)
      if (isLast) output.note(`further retries of this kind for ${target} are not shown`)
    } else {
      output.warn(attemptText(event))
      if (isLast)
        output.warn(
          `further failures of this kind for ${target} are only counted`,
          'to see each one, pass --json',
        )
    }
  }
}

/**
 * Runs the command of `--exec`. Output and failures are printed to stderr as they occur; with --json each failure is also an
 * `exec-failed` on stdout. The totals of `close` count the skipped messages.
 * @throws CallyardError `usage` for a missing program.
 */
export async function openExec(
  flags: Pick<TailFlags, 'exec' | 'execConcurrency' | 'execTimeout'>,
  { output, clock, cwd, programEnv: env }: Pick<Context, 'output' | 'clock' | 'cwd' | 'programEnv'>,
) {
  if (flags.exec === undefined) return undefined
  const { createExec } = await loadExec()
  return createExec({
    ...{ clock, cwd, env },
    command: flags.exec,
    atOnce: flags.execConcurrency,
    timeout: flags.execTimeout,
    line: change => `${toJsonLine(change)}\n`,
    onEvent: execReporter(output),
  })
}

function execReporter(output: Output): (event: ExecEvent) => void {
  const timesOf = createCounter()
  return event => {
    if (event.kind === 'output') return output.note(text`${dim('exec')}  ${oneLine(event.line)}`)
    if (event.kind === 'output-cut')
      return output.note(text`${dim('exec')}  … (of each run ${String(event.bytes / 1024)} KB are shown)`)
    if (event.kind === 'behind')
      return output.warn(
        `--exec is behind: ${event.waiting} messages are waiting; new ones are skipped until it has caught up`,
      )
    const { callId, messageId, reason, stderr } = event
    output.event({ kind: 'exec-failed', callId, messageId, reason, stderr }, () => undefined)
    const times = timesOf(reason)
    if (times > maxShown) return
    const { message, hint } = execFailureWords(event)
    output.warn(message, hint)
    if (times === maxShown)
      output.warn(
        `further failures of --exec with ${oneLine(reason)} are only counted`,
        'to see each one, pass --json',
      )
  }
}
