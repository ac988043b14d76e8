import { withoutQuery } from '../../lib/net/address.ts'
import { endingText } from '../../lib/process/program.ts'
import { count } from '../../lib/text/count.ts'
import { shortId } from '../../lib/text/did-you-mean.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { excerpt } from '../../lib/text/layout.ts'
import type {
  ExecEvent,
  ForwardEvent,
  ForwardFailure,
  ForwardRetry,
  ForwardTarget,
  TunnelEvent,
} from '../../webhook/index.ts'
import type { Words } from './words.ts'

/** What the words about forwarding need to know of it. */
export interface Forwarding {
  /** Where events wait. */
  readonly folder: string
  readonly targets: readonly ForwardTarget[]
}

/** What a person reads of forwarding. `isNote`: good news, which --quiet leaves out. */
export function forwardWords(
  event: Exclude<ForwardEvent, ForwardFailure | ForwardRetry>,
  forwarding: Forwarding,
): Words & { readonly isNote?: boolean } {
  switch (event.kind) {
    case 'forward-down':
      return { message: `${event.target} refuses connections; its events wait until it accepts them` }
    case 'forward-up':
      return { message: `${event.target} is back; sending ${count(event.waiting, 'event')}`, isNote: true }
    case 'forward-left':
      return leftWords(event, forwarding)
    case 'forward-unreadable':
      return {
        message: `${event.path} holds events to forward and cannot be read`,
        hint: 'a later callwright may have written it; remove it if nothing in it matters',
      }
    case 'forward-unkept':
      return {
        message: `events for ${event.target} are in memory alone since ${event.since}: ${event.reason}`,
        hint: 'a kill would lose those that are not delivered',
      }
    case 'forward-kept-again':
      return { message: `events for ${event.target} are kept on disk again`, isNote: true }
    case 'forward-dropped':
      return {
        message: `events are not forwarded to ${event.target} since ${event.since}: ${event.why === 'full' ? 'too many wait' : 'the disk takes none, and memory is full'}`,
        hint: 'they are shown, and recorded with --record; webhook replay can send those',
      }
    case 'forward-taken':
      return {
        message: 'another callwright took over the events that waited, as this one stood still for too long',
        hint: 'they are not sent from here; what that one leaves, --resume delivers',
      }
  }
}

function leftWords(
  { target, type, events, resumed }: Extract<ForwardEvent, { kind: 'forward-left' }>,
  { folder, targets }: Forwarding,
) {
  const waiting = `${count(events, 'event')} of an earlier tail for ${target}`
  if (resumed) return { message: `Delivering ${waiting} first`, isNote: true }
  const them = events === 1 ? 'it' : 'them'
  return {
    message: `${waiting} ${events === 1 ? 'was' : 'were'} not delivered`,
    hint: `--forward ${type === null ? '' : `${type}=`}${target} --resume delivers ${them}; kept in ${folder}`,
    // This tail does not forward to that server: nothing is wrong with it.
    isNote: !targets.some(({ url }) => withoutQuery(url) === target),
  }
}

/** A failed attempt to forward an event, on one line: the answer is the server's and begins none. */
export function attemptText(attempt: ForwardFailure | ForwardRetry): string {
  const { target, callId, type, status, reason, milliseconds, body } = attempt
  const which = `${type}${callId === null ? '' : ` of ${shortId(callId)}`}`
  const outcome = status === undefined ? reason : `answered ${status}`
  const redirect =
    status !== undefined && status >= 300 && status < 400 && status !== 304
      ? ' (redirects are not followed)'
      : ''
  const answer = body === undefined ? '' : `: ${body}`
  return oneLine(`${target}: ${which} after ${milliseconds} ms: ${outcome}${redirect}${answer}`)
}

/** What a person reads of a program that failed for a message; ids and stderr are foreign words. */
export function execFailureWords({
  callId,
  messageId,
  reason,
  stderr,
}: Extract<ExecEvent, { readonly kind: 'failed' }>): Words {
  const call = callId === null ? '(no id)' : shortId(callId)
  return {
    message: `--exec failed for message ${oneLine(messageId ?? '(no id)')} of call ${oneLine(call)}: ${oneLine(reason)}`,
    hint: stderr === '' ? undefined : excerpt(stderr).split('\n').map(oneLine).join('\n  '),
  }
}

/** What a person should know of a tunnel, if anything. */
export function tunnelWords(event: TunnelEvent): Words | undefined {
  const program = `the tunnel program ${oneLine(event.program)}`
  switch (event.kind) {
    case 'up':
    case 'ended':
      return undefined
    case 'changed':
      return {
        message: `the tunnel has another public URL: ${oneLine(event.url)}`,
        hint: `events that go to ${oneLine(event.before)} are lost`,
      }
    case 'several-urls':
      return {
        message: `${program} printed URLs of several hosts; ${oneLine(event.url)} is taken`,
        hint: `others are ${hostsText(event.others)}; --tunnel-url <pattern> picks the right one`,
      }
    case 'died':
      return {
        message: `${program} ended: ${oneLine(endingText(event.ending))}; started again in ${event.again / 1000} s`,
        hint: lastLines(event.lines),
      }
    case 'no-url':
      return {
        message: `${program} printed no public URL within ${event.after / 1000} s`,
        hint:
          lastLines(event.lines) ?? 'it printed nothing; --tunnel-url <pattern> finds the URL in its output',
      }
  }
}

const maxHosts = 5

function hostsText(urls: readonly string[]): string {
  const hosts = urls.slice(0, maxHosts).map(url => oneLine(new URL(url).host))
  return [...hosts, ...(urls.length > maxHosts ? [`${urls.length - maxHosts} more`] : [])].join(', ')
}

const maxLines = 5

/** What it printed last. */
function lastLines(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : lines.slice(-maxLines).map(oneLine).join('\n  ')
}
