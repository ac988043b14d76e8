import type { Command } from '@commander-js/extra-typings'
import { quoteForShell } from '../../../lib/text/escape.ts'
import type { FlagNeeds } from '../../shell/cli-command.ts'
import type { OptionsOf } from '../../shell/flags/flag.ts'
import { parseDuration, parsePort, parseWait } from '../../shell/flags/option-parsers.ts'
import { credentialOptions, parseBrokerName } from '../webhook/broker-flags.ts'
import { withExposureFlags } from '../webhook/flags.ts'
import { withBatchFlags, withQueueFlags } from './flags.ts'

const defaultStream = 'calls'

/** Adds the flags of `batch run` and `resume`. */
export function withRunFlags(command: Command) {
  const following = withBatchFlags(command)
    .option('-y, --yes', 'Call without confirmation; requires --max-calls')
    .option('--test-call <number>', 'Only call this number, as the first person')
    .option('--resend-unknown', 'Also call people who may have been called before')
    .option('--again', 'Also call people whom a lost journal has called')
    .option('--despite-opt-out', 'Also call people on do-not-call lists')
    .option('--no-log', 'Do not record the calls in the call log')
    .optionsGroup('FOLLOWING THE CALLS')
    .option('--follow', 'Receive the events of calls, for outcomes')
    .option('--port <number>', 'Port to listen on (default: any free one)', parsePort)
  const exposed = withExposureFlags(following)
    .option('--events <file>', 'Read events from a recording of webhook tail')
    .option('--drain <duration>', 'Wait for calls after a pause (default: 30s)', parseWait)
    .option('--outcome-timeout <duration>', 'Wait for events of a call (default: 30m)', parseDuration)
    .option(
      '--queued-after <duration>',
      'Report calls that are queued for longer (default: 5m)',
      parseDuration,
    )
    .option('--ui', 'Show the batch in the browser')
  return withQueueFlags(exposed).option(
    '--stream <name>',
    'Stream of the relay with the events of calls',
    parseBrokerName,
    defaultStream,
  )
}

export const runNeeds = {
  follow: ['port', 'tunnel', 'tunnelUrl', 'publicUrl'],
  tunnel: ['tunnelUrl'],
  queue: [...credentialOptions, 'stream'],
} satisfies FlagNeeds<keyof BatchRunOptions>

type SourceOptions = Pick<
  BatchRunOptions,
  'follow' | 'port' | 'events' | 'tunnel' | 'tunnelUrl' | 'publicUrl' | 'queue' | 'stream' | CredentialOption
>
type CredentialOption = (typeof credentialOptions)[number]

/** Returns the command that continues a batch, with its queue and its source of events. */
export function resumeCommand(name: string, options: Partial<SourceOptions>): string {
  const { follow, port, events, tunnel, tunnelUrl, publicUrl, queue = [], stream = defaultStream } = options
  const flag = (flagName: string, value: unknown) =>
    value === undefined ? [] : [flagName, quoteForShell(String(value))]
  return [
    ...['callyard batch resume', quoteForShell(name)],
    ...(follow === true ? ['--follow', ...flag('--port', port)] : []),
    ...[...flag('--events', events), ...flag('--tunnel', tunnel), ...flag('--tunnel-url', tunnelUrl)],
    ...flag('--public-url', publicUrl),
    ...queue.flatMap(url => flag('--queue', url)),
    ...(stream === defaultStream ? [] : flag('--stream', stream)),
    ...credentialOptions.flatMap(option => flag(`--nats-${option.slice(4).toLowerCase()}`, options[option])),
  ].join(' ')
}

export type BatchRunOptions = OptionsOf<typeof withRunFlags>
