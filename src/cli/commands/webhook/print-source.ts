import type { SourceEvent, TailEvent } from '../../../events/receive/index.ts'
import { byCase } from '../../../lib/by-case.ts'
import { count } from '../../../lib/text/count.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import type { Text } from '../../../lib/text/text.ts'
import type { Output } from '../../shell/context.ts'

/** Line on stderr about an event of a relay or its broker. */
export interface BrokerLine {
  readonly message: Text
  readonly hint?: string
  /** Default: a note, which --quiet hides. */
  readonly isWarning?: boolean
}

const kinds = ['connected', 'disconnected', 'gap', 'stream-replaced', 'partitions'] as const

/** True for an event of the connection to a broker. */
export function isSourceEvent(event: TailEvent): event is SourceEvent {
  return kinds.some(kind => kind === event.kind)
}

/** Prints an event of the connection to a broker: with --json as data on stdout, otherwise on stderr. */
export function printSourceEvent(event: SourceEvent, output: Output): void {
  printLine(event, () => lineOf(event), output)
}

/** Prints an event: with --json as data on stdout, otherwise as a line on stderr. */
export function printLine<Event extends { readonly kind: string }>(
  event: Event,
  toLine: () => BrokerLine | undefined,
  output: Output,
  options: { readonly isRequested?: boolean } = {},
): void {
  output.event(event, () => undefined)
  // Warnings are conversation; with --json the event says the same.
  const line = output.json ? undefined : toLine()
  if (line?.isWarning === true) output.warn(line.message, line.hint)
  else if (line !== undefined) output.note(line.message, options)
}

/** Returns the line for a new connection to the broker. */
export function connectedLine({ server, version }: Extract<SourceEvent, { kind: 'connected' }>): BrokerLine {
  return { message: `Connected to ${oneLine(server)} (nats-server ${oneLine(version)})` }
}

/** Returns the line for a lost connection. */
export function disconnectedLine(reason: string, hint: string): BrokerLine {
  return { message: `the broker is away: ${oneLine(reason)}`, hint, isWarning: true }
}

function lineOf(event: SourceEvent): BrokerLine {
  return byCase<'kind', SourceEvent, BrokerLine>('kind', event, {
    connected: connectedLine,
    disconnected: ({ reason }) => disconnectedLine(reason, 'the tail continues where it was when it is back'),
    gap: ({ from, to, partitions }) => ({
      message: `the stream removed up to ${count(to - from + 1, 'event')} before this tail read them (sequences ${from} to ${to}, ${count(partitions, 'partition')})`,
      hint: 'start the relay with a longer --keep or a larger --max-bytes, and --update',
      isWarning: true,
    }),
    'stream-replaced': ({ stream }) => ({
      message: `stream ${oneLine(stream)} was deleted and created again; reading it from its first event`,
      hint: 'events that the tail had not read are lost, unless the relay published them again',
      isWarning: true,
    }),
    partitions: ({ held, tails }) => ({
      message: `Reading ${held} of 32 partitions; ${count(tails, 'tail shares', 'tails share')} this name`,
    }),
  })
}
