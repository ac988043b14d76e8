import { type Command, Option } from '@commander-js/extra-typings'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import { parseAge, parseDuration, parsePort, parseSize } from '../../cli/flags/option-parsers.ts'
import { collectNatsUrl, parseBrokerName, withCredentialFlags } from './broker-flags.ts'
import { withListenFlags } from './listen-flags.ts'

const defaults = { keep: '72h', maxBytes: '10gb', spoolMax: '1gb', drain: '10s' }

/** The flags of `webhook relay`. */
export function withRelayFlags(command: Command) {
  const listening = withListenFlags(command.optionsGroup('LISTENING'), '/')
    .optionsGroup('BROKER')
    .addOption(
      new Flag('--nats <url>', 'NATS server, such as nats://host:4222').secret().repeatable(collectNatsUrl),
    )
  return withCredentialFlags(listening)
    .optionsGroup('STREAM')
    .option('--stream <name>', 'Stream to publish to', parseBrokerName, 'calls')
    .addOption(
      new Option('--keep <age>', 'Time to keep events in the stream')
        .argParser(parseAge)
        .default(parseAge(defaults.keep), defaults.keep),
    )
    .addOption(
      new Option('--max-bytes <size>', 'Maximum size of the stream')
        .argParser(parseSize)
        .default(parseSize(defaults.maxBytes), defaults.maxBytes),
    )
    .option('--update', 'Change an existing stream to match the flags')
    .option('--dry-run', 'Print changes to the stream and exit')
    .optionsGroup('SPOOL')
    .option('--spool <folder>', 'Folder for events until they are published')
    .addOption(
      new Option('--spool-max <size>', 'Maximum size of the spool')
        .argParser(parseSize)
        .default(parseSize(defaults.spoolMax), defaults.spoolMax),
    )
    .addOption(
      new Option('--drain <duration>', 'Time to publish events on exit')
        .argParser(parseDuration)
        .default(parseDuration(defaults.drain), defaults.drain),
    )
    .optionsGroup('HEALTH AND METRICS')
    .option('--status-host <address>', 'Address for health and metrics', '127.0.0.1')
    .option('--status-port <number>', 'Port for health and metrics; 0 for a free one', parsePort, 4012)
}

export type RelayFlags = OptionsOf<typeof withRelayFlags>
