import type { Context } from '../../cli/context.ts'
import { givenFlag } from '../../cli/flags/flag.ts'
import { webhookTypes } from '../../interface/words.ts'
import { CallwrightError } from '../../lib/error.ts'
import { isLoopbackName, withoutQuery } from '../../lib/net/address.ts'
import { count } from '../../lib/text/count.ts'
import { didYouMean, shortId } from '../../lib/text/did-you-mean.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { forwardFolder } from '../../profile/index.ts'
import {
  type ForwardEvent,
  type Forwarder,
  type ForwardFailure,
  type ForwardRetry,
  type ForwardTarget,
  loadForwarder,
} from '../../webhook/index.ts'
import type { ForwardOptions } from './flags.ts'
import { eventTimeout } from './receiver-flags.ts'

/** Of one kind; --json tells each. */
const maxShown = 20

/** The servers that `--forward` names, with their headers. */
export function forwardTargets({ forward = [], forwardHeader = {} }: ForwardOptions): ForwardTarget[] {
  return forward.map(target => ({ ...target, headers: forwardHeader }))
}

/**
 * The forwarder that `--forward` asks for. What it has to say is told at once; failures are data with --json.
 * @throws CallwrightError `usage` when flags say nothing, or events cannot be kept on disk.
 */
export async function openForwarding(
  options: ForwardOptions,
  context: Pick<Context, 'clock' | 'env' | 'options' | 'output'>,
): Promise<Forwarder | undefined> {
  const targets = forwardTargets(options)
  if (targets.length === 0) {
    const flag = uselessFlag(options)
    if (flag === undefined) return undefined
    throw new CallwrightError('usage', `${flag} is about forwarding`, {
      hint: 'give an address with --forward',
    })
  }
  const { openForwarder } = await loadForwarder()
  for (const { type } of targets) warnOfUnknownType(type, context.output)
  const folder = forwardFolder(context.env)
  return openForwarder({
    targets,
    folder,
    onlyNew: options.forwardOnlyNew === true,
    resume: options.resume === true,
    timeout: eventTimeout(context),
    retries: options.forwardRetries ?? 0,
    clock: context.clock,
    onEvent: createReporter({ folder, targets }, context.output),
  })
}

/** There are others than the two that interface.md 6 names, so it is no error. */
function warnOfUnknownType(type: string | undefined, output: Context['output']): void {
  const meant =
    type === undefined || webhookTypes.some(known => known === type)
      ? undefined
      : didYouMean(type, webhookTypes)
  if (meant !== undefined)
    output.warn(`--forward ${type}=…: no event of this type is known`, `did you mean ${meant}?`)
}

/**
 * A listener that forwards to itself would do so without end.
 * @throws CallwrightError `usage`.
 */
export function assertForwardsElsewhere(
  targets: readonly Pick<ForwardTarget, 'url'>[],
  listener: { readonly host: string; readonly port: number },
): void {
  for (const { url } of targets) {
    const { protocol, hostname, port } = new URL(url)
    const isOurPort = Number(port || (protocol === 'https:' ? 443 : 80)) === listener.port
    if (isOurPort && (isLoopbackName(hostname) || hostname === listener.host)) {
      throw new CallwrightError('usage', `--forward ${withoutQuery(url)} is this listener itself`, {
        hint: 'give the address of the server that events are for',
      })
    }
  }
}

function uselessFlag({
  forwardHeader,
  forwardOnlyNew,
  forwardRetries,
  resume,
}: ForwardOptions): string | undefined {
  return givenFlag({
    '--forward-header': forwardHeader,
    '--forward-only-new': forwardOnlyNew,
    '--forward-retries': forwardRetries,
    '--resume': resume,
  })
}

interface Kept {
  readonly folder: string
  readonly targets: readonly ForwardTarget[]
}

function createReporter(kept: Kept, output: Context['output']): (event: ForwardEvent) => void {
  const told = new Map<string, number>()
  return event => {
    if (event.kind !== 'forward-failed' && event.kind !== 'forward-retried') {
      const { text, hint, isNote } = eventText(event, kept)
      if (isNote === true) output.note(hint === undefined ? text : `${text}: ${hint}`)
      else output.warn(text, hint)
      return
    }
    output.event(event, () => undefined)
    if (output.json) return
    const kind = `${event.kind} ${event.target} ${event.status ?? event.reason}`
    const times = (told.get(kind) ?? 0) + 1
    told.set(kind, times)
    if (times > maxShown) return
    if (event.kind === 'forward-retried') {
      output.note(`${attemptText(event)}; again in ${event.again / 1000} s`)
      if (times === maxShown) output.note(`further retries of the same kind for ${event.target} are not told`)
    } else {
      output.warn(attemptText(event))
      if (times === maxShown)
        output.warn(`more of the same from ${event.target} are counted`, '--json tells each')
    }
  }
}

interface Told {
  readonly text: string
  readonly hint?: string
  /** Good news: not with --quiet. */
  readonly isNote?: boolean
}

function eventText(event: Exclude<ForwardEvent, ForwardFailure | ForwardRetry>, kept: Kept): Told {
  switch (event.kind) {
    case 'forward-down':
      return { text: `${event.target} takes no connections; its events wait until it does` }
    case 'forward-up':
      return { text: `${event.target} is back; ${count(event.waiting, 'event')} go out`, isNote: true }
    case 'forward-left':
      return leftText(event, kept)
    case 'forward-unreadable':
      return {
        text: `${event.path} holds events to forward and cannot be read`,
        hint: 'a later callwright may have written it; remove it if nothing in it matters',
      }
    case 'forward-unkept':
      return {
        text: `events for ${event.target} are in memory alone since ${event.since}: ${event.reason}`,
        hint: 'a kill would lose those that are not delivered',
      }
    case 'forward-kept-again':
      return { text: `events for ${event.target} are kept on disk again`, isNote: true }
    case 'forward-dropped':
      return {
        text: `events are not forwarded to ${event.target} since ${event.since}: ${event.why === 'full' ? 'too many wait' : 'the disk takes none, and memory is full'}`,
        hint: 'they are shown, and recorded with --record; webhook replay can send those',
      }
    case 'forward-taken':
      return {
        text: 'another callwright took over the events that waited, as this one stood still for too long',
        hint: 'they are not sent from here; what that one leaves, --resume delivers',
      }
  }
}

function leftText(
  { target, type, events, resumed }: Extract<ForwardEvent, { kind: 'forward-left' }>,
  { folder, targets }: Kept,
): Told {
  const waiting = `${count(events, 'event')} of an earlier tail for ${target}`
  if (resumed) return { text: `Delivering ${waiting} first`, isNote: true }
  const them = events === 1 ? 'it' : 'them'
  return {
    text: `${waiting} ${events === 1 ? 'was' : 'were'} not delivered`,
    hint: `--forward ${type === null ? '' : `${type}=`}${target} --resume delivers ${them}; kept in ${folder}`,
    // Of a server that nobody forwards to now it is no trouble of this tail.
    isNote: !targets.some(({ url }) => withoutQuery(url) === target),
  }
}

function attemptText({
  target,
  callId,
  type,
  status,
  reason,
  milliseconds,
  body,
}: ForwardFailure | ForwardRetry): string {
  const which = `${type}${callId === null ? '' : ` of ${shortId(callId)}`}`
  const outcome = status === undefined ? reason : `answered ${status}`
  const redirect =
    status !== undefined && status >= 300 && status < 400 ? ' (redirects are not followed)' : ''
  const words = `${target}: ${which} after ${milliseconds} ms: ${outcome}${redirect}${body === undefined ? '' : `: ${body}`}`
  // Newlines too: nobody else's word begins a line here.
  return oneLine(words)
}
