import { webhookTypes } from '../../../events/conversation/index.ts'
import { type ExecEvent, loadExec } from '../../../events/exec/index.ts'
import {
  type ForwardEvent,
  type ForwardFailure,
  type ForwardRetry,
  type ForwardTarget,
  loadForwarder,
} from '../../../events/forward/index.ts'
import { byCase } from '../../../lib/by-case.ts'
import { forwardFolder } from '../../../lib/fs/user-folders.ts'
import { withoutQuery } from '../../../lib/net/address.ts'
import { count, createCounter } from '../../../lib/text/count.ts'
import { didYouMean, shortId } from '../../../lib/text/did-you-mean.ts'
import { oneLine, toJsonLine } from '../../../lib/text/escape.ts'
import { excerpt } from '../../../lib/text/layout.ts'
import { dim, text } from '../../../lib/text/text.ts'
import type { MessageText } from '../../shell/advice.ts'
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
  context: Context,
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
  if (type === undefined || webhookTypes.some(candidate => candidate === type)) return
  const suggestion = didYouMean(type, webhookTypes)
  if (suggestion !== undefined)
    output.warn(`--forward ${type}=…: unknown event type`, `did you mean ${suggestion}?`)
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

/** Settings of forwarding that its messages refer to. */
interface Forwarding {
  /** Queue folder. */
  readonly folder: string
  readonly targets: readonly ForwardTarget[]
}

/** Returns the message for an event of forwarding. `isNote` marks good news, which --quiet omits. */
function forwardWords(
  event: Exclude<ForwardEvent, ForwardFailure | ForwardRetry>,
  forwarding: Forwarding,
): MessageText & { readonly isNote?: boolean } {
  return byCase('kind', event, {
    'forward-down': ({ target }) => ({
      message: `${target} refuses connections; its events wait until it accepts them`,
    }),
    'forward-up': ({ target, waiting }) => ({
      message: `${target} is back; sending ${count(waiting, 'event')}`,
      isNote: true,
    }),
    'forward-left': left => leftWords(left, forwarding),
    'forward-unreadable': ({ path }) => ({
      message: `${path} contains events to forward but cannot be read`,
      hint: 'it may be from a newer callyard; delete it if you do not need its events',
    }),
    'forward-unkept': ({ target, since, reason }) => ({
      message: `events for ${target} have been kept only in memory since ${since}: ${reason}`,
      hint: 'undelivered events would be lost in a kill',
    }),
    'forward-kept-again': ({ target }) => ({
      message: `events for ${target} are kept on disk again`,
      isNote: true,
    }),
    'forward-dropped': ({ target, since, why }) => ({
      message: `events have not been forwarded to ${target} since ${since}: ${why === 'full' ? 'too many are waiting' : 'the disk cannot be written, and memory is full'}`,
      hint: 'they are shown, and recorded with --record; send those with callyard webhook replay',
    }),
    'forward-taken': () => ({
      message: 'another callyard took over the waiting events because this one was suspended for too long',
      hint: 'the other one sends them; deliver what it leaves with --resume',
    }),
  })
}

function leftWords(
  { target, type, events, resumed }: Extract<ForwardEvent, { kind: 'forward-left' }>,
  { folder, targets }: Forwarding,
) {
  const waiting = `${count(events, 'event')} from an earlier run for ${target}`
  if (resumed) return { message: `Delivering ${waiting} first`, isNote: true }
  const them = events === 1 ? 'it' : 'them'
  return {
    message: `${waiting} ${events === 1 ? 'was' : 'were'} not delivered`,
    hint: `deliver ${them} with --forward ${type === null ? '' : `${type}=`}${target} --resume; kept in ${folder}`,
    // This tail does not forward to that server: nothing is wrong with it.
    isNote: !targets.some(({ url }) => withoutQuery(url) === target),
  }
}

/** Describes a failed delivery on one line; the response is untrusted and must not start a line. */
function attemptText(attempt: ForwardFailure | ForwardRetry): string {
  const { target, callId, type, status, reason, milliseconds, body } = attempt
  const which = `${type}${callId === null ? '' : ` of ${shortId(callId)}`}`
  const outcome = status === undefined ? reason : `responded ${status}`
  const redirect =
    status !== undefined && status >= 300 && status < 400 && status !== 304
      ? ' (redirects are not followed)'
      : ''
  const response = body === undefined ? '' : `: ${body}`
  return oneLine(`${target}: ${which} after ${milliseconds} ms: ${outcome}${redirect}${response}`)
}

/**
 * Runs the command of `--exec`. Output and failures are printed to stderr as they occur; with --json each failure is also an
 * `exec-failed` on stdout. The totals of `close` count the skipped messages.
 * @throws CallyardError `usage` for a missing program.
 */
export async function openExec(flags: TailFlags, { output, clock, cwd, programEnv: env }: Context) {
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
    const { reason } = event
    output.event(event, () => undefined)
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

/** Returns the message for a program that failed; ids and stderr are untrusted. */
function execFailureWords({
  callId,
  messageId,
  reason,
  stderr,
}: Extract<ExecEvent, { readonly kind: 'exec-failed' }>): MessageText {
  const call = callId === null ? '(no id)' : shortId(callId)
  return {
    message: `--exec failed for message ${oneLine(messageId ?? '(no id)')} of call ${oneLine(call)}: ${oneLine(reason)}`,
    hint: stderr === '' ? undefined : excerpt(stderr).split('\n').map(oneLine).join('\n  '),
  }
}
