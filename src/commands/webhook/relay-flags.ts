import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import { parseAge, parseDuration, parsePort, parseSize } from '../../cli/flags/option-parsers.ts'
import { withListenFlags } from './listen-flags.ts'

const defaults = { keep: '72h', maxBytes: '10gb', spoolMax: '1gb', drain: '10s' }

/** The flags of `webhook relay`. */
export function withRelayFlags(command: Command) {
  return withListenFlags(command.optionsGroup('LISTENING'), '/')
    .optionsGroup('BROKER')
    .addOption(
      new Flag('--nats <url>', 'NATS server, such as nats://host:4222').secret().repeatable(collectNatsUrl),
    )
    .option('--nats-creds <file>', 'Credentials file of a NATS user')
    .option('--nats-nkey <file>', 'File with the nkey seed of a user')
    .option('--nats-ca <file>', 'Certificate authority of the server')
    .option('--nats-cert <file>', 'Client certificate')
    .option('--nats-key <file>', 'Private key of the client certificate')
    .optionsGroup('STREAM')
    .option('--stream <name>', 'Stream to publish to', parseStream, 'calls')
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

/** Parses the URL of a NATS server. @throws InvalidArgumentError, which never shows a password */
export function parseNatsUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^(?:nats|tls):$/.test(url.protocol) || url.hostname === '')
    throw new InvalidArgumentError('Use a URL such as nats://127.0.0.1:4222 or tls://nats.example.com.')
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError(
      'Use a URL without credentials: pass --nats-creds or --nats-nkey, or set NATS_USER and NATS_PASSWORD.',
    )
  return `${url.protocol}//${url.host}`
}

function collectNatsUrl(text: string, collected: readonly string[] = []): string[] {
  return [...collected, ...text.split(',').map(each => parseNatsUrl(each.trim()))]
}

/** Streams are also the first token of their subjects, and the folder of the spool. */
function parseStream(name: string): string {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name))
    throw new InvalidArgumentError('Use up to 64 letters, digits, - and _.')
  return name
}
