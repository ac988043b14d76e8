import type { Command } from '@commander-js/extra-typings'
import { Flag, type OptionsOf } from '../../shell/flags/flag.ts'
import { parseAge, parsePort, parseSize, parseWait } from '../../shell/flags/option-parsers.ts'
import { collectNatsUrl, parseBrokerName, withCredentialFlags } from './broker-flags.ts'
import { withListenFlags } from './listen-flags.ts'

/** The flags of `webhook relay`. */
export function withRelayFlags(command: Command) {
  const listening = withListenFlags(command.optionsGroup('LISTENING'), '/')
    .optionsGroup('BROKER')
    .addOption(
      new Flag('--nats <url>', 'NATS server, such as nats://host:4222').secret().repeatable(collectNatsUrl),
    )
  return withCredentialFlags(listening)
    .optionsGroup('STREAM')
    .addOption(
      new Flag('--stream <name>', 'Stream to publish to')
        .helpsWith({
          'subjects-in-use': ({ stream }: { stream: string }) => `pass another --stream than ${stream}`,
          'stream-shape': 'pass another --stream, or delete this one if nothing else uses it',
          'spool-of-other-stream': ({ stream }: { stream: string }) =>
            `pass --stream ${stream}, or another --spool`,
        })
        .argParser(parseBrokerName)
        .default('calls'),
    )
    .addOption(new Flag('--keep <age>', 'Time to keep events in the stream').parsed(parseAge, '72h'))
    .addOption(
      new Flag('--max-bytes <size>', 'Maximum size of the stream')
        .helpsWith({
          'jetstream-refused': 'check --keep, --max-bytes and the permissions of the user',
          'jetstream-no-space':
            'pass a smaller --max-bytes, or raise the storage limit of the server or account',
        })
        .parsed(parseSize, '10gb'),
    )
    .option('--keep-secrets', 'Publish headers and queries without masking secrets')
    .addOption(
      new Flag('--update', 'Change an existing stream to match the flags').helpsWith({
        'stream-differs': 'run again with --update to change it; --dry-run shows the changes',
      }),
    )
    .option('--dry-run', 'Print changes to the stream and exit')
    .optionsGroup('SPOOL')
    .addOption(
      new Flag('--spool <folder>', 'Folder for events until they are published').helpsWith({
        'spool-in-use': 'stop it, or pass another --spool',
      }),
    )
    .addOption(new Flag('--spool-max <size>', 'Maximum size of the spool').rare().parsed(parseSize, '1gb'))
    .addOption(new Flag('--drain <duration>', 'Time to publish events on exit').parsed(parseWait, '10s'))
    .optionsGroup('HEALTH AND METRICS')
    .addOption(
      new Flag('--status-host <address>', 'Address for health and metrics').rare().default('127.0.0.1'),
    )
    .option('--status-port <number>', 'Port for health and metrics; 0 for a free one', parsePort, 4012)
}

export type RelayFlags = OptionsOf<typeof withRelayFlags>
