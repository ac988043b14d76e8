import { byCase } from '../../../lib/by-case.ts'
import { count } from '../../../lib/text/count.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { changesText, type RelayEvent, type StreamChange } from '../../../relay/index.ts'
import type { Output } from '../../shell/context.ts'
import { type BrokerLine, connectedLine, disconnectedLine, printLine } from './print-source.ts'

/** Prints the events of a relay: with --json as data on stdout, otherwise for a person on stderr. */
export function createRelayPrinter(
  output: Output,
  { isDryRun }: { readonly isDryRun: boolean },
): (event: RelayEvent) => void {
  return event => printLine(event, () => lineOf(event, isDryRun), output, { isRequested: isDryRun })
}

function lineOf(event: RelayEvent, isDryRun: boolean): BrokerLine | undefined {
  return byCase<'kind', RelayEvent, BrokerLine | undefined>('kind', event, {
    stream: ({ stream, action, changes, replicas }) => {
      const verb = isDryRun ? 'Would ' : ''
      if (action === 'create')
        return { message: `${verb}${isDryRun ? 'create' : 'Created'} stream ${stream}` }
      if (action === 'update')
        return {
          message: `${verb}${isDryRun ? 'update' : 'Updated'} stream ${stream}: ${updatesText(changes)}`,
        }
      if (changes.length > 0)
        return {
          ...{ message: `stream ${stream} differs from the flags: ${changesText(changes)}`, isWarning: true },
          hint: 'pass --update to change it',
        }
      return isDryRun ? { message: `Stream ${stream} is up to date (replicas: ${replicas})` } : undefined
    },
    ready: ({ url, status, spool, left }) => {
      const earlier = left > 0 ? `\nPublishing ${count(left, 'event')} of an earlier run first` : ''
      return {
        message: text`Relaying until Ctrl-C on\n  ${bold(url)}\nHealth and metrics on ${status}\nSpool in ${spool}${earlier}`,
      }
    },
    connected: connectedLine,
    disconnected: ({ reason }) =>
      disconnectedLine(reason, 'events are accepted into the spool, and published when it is back'),
    republished: ({ events, duplicates }) => ({
      message: `Published ${count(events, 'event')} again; the stream still had ${duplicates}`,
    }),
    'too-large': ({ bytes }) => ({
      ...{
        message: `the broker rejected an event of ${bytes} bytes; it stays in the spool`,
        isWarning: true,
      },
      hint: 'raise max_payload of nats-server, and max_msg_size of the stream',
    }),
    'spool-full': ({ unpublished }) => ({
      ...{ message: `the spool is full; rejecting events (${unpublished} to publish)`, isWarning: true },
      hint: 'check the broker, or pass a larger --spool-max',
    }),
    'spool-free': () => ({ message: 'The spool has space again' }),
    'spool-failing': ({ reason }) => ({
      ...{ message: `cannot write to the spool; rejecting events: ${oneLine(reason)}`, isWarning: true },
      hint: 'check the free disk space and the permissions of the folder',
    }),
    refused: ({ status, message }) => ({
      message: `rejected a request with ${status}: ${oneLine(message)}`,
      isWarning: true,
      ...(message.startsWith('Host ') && { hint: 'allow it with --allow-host' }),
    }),
    summary: ({ received, rejected, published, duplicates, unpublished }) => ({
      message: [
        `${count(received, 'event')} received`,
        ...(rejected > 0 ? [`${rejected} rejected`] : []),
        `${count(published, 'message')} published`,
        ...(duplicates > 0 ? [`${duplicates} of them repeated`] : []),
        ...(unpublished > 0 ? [`${unpublished} left in the spool`] : []),
      ].join(', '),
    }),
  })
}

/** `max_age from 259200s to 3600s`. */
function updatesText(changes: readonly StreamChange[]): string {
  return changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join(', ')
}
