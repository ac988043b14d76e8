import type { Output } from '../../cli/context.ts'
import { byCase } from '../../lib/by-case.ts'
import { count } from '../../lib/text/count.ts'
import { oneLine } from '../../lib/text/escape.ts'
import type { SourceEvent, TailEvent } from '../../webhook/index.ts'

interface Line {
  readonly message: string
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
  output.event(event, () => undefined)
  if (output.json) return
  const { message, hint, isWarning } = lineOf(event)
  if (isWarning === true) output.warn(message, hint)
  else output.note(message)
}

function lineOf(event: SourceEvent): Line {
  return byCase<'kind', SourceEvent, Line>('kind', event, {
    connected: ({ server, version }) => ({
      message: `Connected to ${oneLine(server)} (nats-server ${oneLine(version)})`,
    }),
    disconnected: ({ reason }) => ({
      ...{ message: `the broker is away: ${oneLine(reason)}`, isWarning: true },
      hint: 'the tail continues where it was when it is back',
    }),
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
