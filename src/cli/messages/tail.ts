import type { ExecEvent } from '../../events/exec/index.ts'
import type { ForwardEvent, ForwardFailure, ForwardRetry, ForwardTarget } from '../../events/forward/index.ts'
import type { BodyFormEvent } from '../../events/receive/index.ts'
import type { TunnelEvent } from '../../events/tunnel/index.ts'
import { byCase } from '../../lib/by-case.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import { endingText } from '../../lib/process/program.ts'
import { count } from '../../lib/text/count.ts'
import { shortId } from '../../lib/text/did-you-mean.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { excerpt } from '../../lib/text/layout.ts'
import type { MessageText } from './words.ts'

/** Settings of forwarding that its messages refer to. */
export interface Forwarding {
  /** Queue folder. */
  readonly folder: string
  readonly targets: readonly ForwardTarget[]
}

/** Notice about bodies that are not one JSON object in UTF-8. */
export function bodyFormText({ form }: BodyFormEvent): string {
  return `${bodyForms[form]}; --record and --forward keep the original bytes`
}

const bodyForms: Readonly<Record<BodyFormEvent['form'], string>> = {
  compressed: 'events arrive compressed and are decompressed for reading',
  'byte-order-mark': 'events arrive with a byte order mark, which is skipped',
  charset: 'events arrive in a charset other than UTF-8 and are converted for reading',
  'invalid-utf-8': 'events arrive with invalid UTF-8, which is shown as \ufffd',
  list: 'events arrive as arrays; each item counts as one event',
  form: 'events arrive form-encoded; the field with JSON is read',
}

/** Returns the message for an event of forwarding. `isNote` marks good news, which --quiet omits. */
export function forwardWords(
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
export function attemptText(attempt: ForwardFailure | ForwardRetry): string {
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

/** Returns the message for a program that failed; ids and stderr are untrusted. */
export function execFailureWords({
  callId,
  messageId,
  reason,
  stderr,
}: Extract<ExecEvent, { readonly kind: 'failed' }>): MessageText {
  const call = callId === null ? '(no id)' : shortId(callId)
  return {
    message: `--exec failed for message ${oneLine(messageId ?? '(no id)')} of call ${oneLine(call)}: ${oneLine(reason)}`,
    hint: stderr === '' ? undefined : excerpt(stderr).split('\n').map(oneLine).join('\n  '),
  }
}

/** Returns the message for an event of a tunnel, if any. */
export function tunnelWords(event: TunnelEvent): MessageText | undefined {
  const program = `the tunnel program ${oneLine(event.program)}`
  return byCase<'kind', TunnelEvent, MessageText | undefined>('kind', event, {
    up: () => undefined,
    changed: ({ url, before }) => ({
      message: `the public URL of the tunnel changed to ${oneLine(url)}`,
      hint: `events sent to ${oneLine(before)} are lost`,
    }),
    died: ({ ending, again, lines }) => ({
      message: `${program} exited: ${oneLine(endingText(ending))}; restarting in ${again / 1000} s`,
      hint: lastLines(lines),
    }),
    'no-url': ({ after, lines }) => ({
      message: `${program} printed no public URL within ${after / 1000} s`,
      hint: `${lastLines(lines) ?? 'it printed nothing'}\n  to find another URL in its output, pass --tunnel-url <pattern>`,
    }),
  })
}

const maxLines = 5

/** Returns the last lines of output. */
function lastLines(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : lines.slice(-maxLines).map(oneLine).join('\n  ')
}
