import type { Command } from '@commander-js/extra-typings'
import type { CommandWords } from '../../../lib/error.ts'
import type { FlagNeeds } from '../../shell/cli-command.ts'
import { Flag, type OptionsOf, portHints, yesFlag } from '../../shell/flags/flag.ts'
import { parseDuration, parsePort, parseWait } from '../../shell/flags/option-parsers.ts'
import { outFlag } from '../../shell/flags/out-flag.ts'
import { credentialOptions, parseBrokerName } from '../webhook/broker-flags.ts'
import { withExposureFlags } from '../webhook/flags.ts'
import { withBatchFlags, withQueueFlags } from './flags.ts'

const defaultStream = 'calls'

/** Adds the flags of `batch run` and `resume`. */
export function withRunFlags(command: Command) {
  const following = withBatchFlags(command)
    .addOption(yesFlag('Call without confirmation; requires --max-calls'))
    .addOption(
      outFlag('Write the results as calls end (.csv)', ['csv'], {
        needsFile: 'Results are rewritten as calls end; name a file, or print them with batch export.',
      }),
    )
    .option('--test-call <number>', 'Only call this number, as the first person')
    .addOption(new Flag('--retry-unknown', 'Also call people who may have been called before').rare())
    .addOption(new Flag('--again', 'Also call people whom a lost journal has called').rare())
    .addOption(new Flag('--despite-opt-out', 'Also call people on do-not-call lists').rare())
    .addOption(new Flag('--no-log', 'Do not record the calls in the call log').rare())
    .optionsGroup('FOLLOWING THE CALLS')
    .option('--follow', 'Receive the events of calls, for outcomes')
    .addOption(
      new Flag('--port <number>', 'Port to listen on (default: any free one)')
        .rare()
        .helpsWith(portHints)
        .argParser(parsePort),
    )
  const exposed = withExposureFlags(following)
    .option('--events <file>', 'Read events from a recording of webhook tail')
    .addOption(
      new Flag('--drain <duration>', 'Wait for calls after a pause (default: 30s)')
        .rare()
        .argParser(parseWait),
    )
    .addOption(
      new Flag('--outcome-timeout <duration>', 'Wait for events of a call (default: 30m)')
        .rare()
        .argParser(parseDuration),
    )
    .addOption(
      new Flag('--queued-after <duration>', 'Report calls that are queued for longer (default: 5m)')
        .rare()
        .argParser(parseDuration),
    )
    .option('--ui', 'Show the batch in the browser')
  return withQueueFlags(exposed).addOption(
    new Flag('--stream <name>', 'Stream of the relay with the events of calls')
      .rare()
      .argParser(parseBrokerName)
      .default(defaultStream),
  )
}

export const runNeeds = {
  follow: ['port', 'tunnel', 'tunnelUrl', 'publicUrl'],
  tunnel: ['tunnelUrl'],
  queue: [...credentialOptions, 'stream'],
} satisfies FlagNeeds<keyof BatchRunOptions>

/** Returns the command that continues a batch, with its queue and its source of events. */
export function resumeCommand(name: string, options: Partial<BatchRunOptions>): CommandWords {
  const { follow, port, events, tunnel, tunnelUrl, publicUrl, queue = [], stream = defaultStream } = options
  const flag = (flagName: string, value: unknown) => (value === undefined ? [] : [flagName, String(value)])
  return [
    ...['batch', 'resume', name],
    ...(follow === true ? ['--follow', ...flag('--port', port)] : []),
    ...[...flag('--events', events), ...flag('--tunnel', tunnel), ...flag('--tunnel-url', tunnelUrl)],
    ...flag('--public-url', publicUrl),
    ...queue.flatMap(url => flag('--queue', url)),
    ...(stream === defaultStream ? [] : flag('--stream', stream)),
    ...credentialOptions.flatMap(option => flag(`--nats-${option.slice(4).toLowerCase()}`, options[option])),
  ]
}

export type BatchRunOptions = OptionsOf<typeof withRunFlags>
