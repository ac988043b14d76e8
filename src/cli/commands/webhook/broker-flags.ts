import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import { CallyardError } from '../../../lib/error.ts'
import type { BrokerOptions } from '../../../relay/index.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, type NoOptions, type OptionsOf } from '../../shell/flags/flag.ts'

/** Adds the flags for credentials and TLS: --nats-creds, --nats-nkey, --nats-ca, --nats-cert and --nats-key. */
export function withCredentialFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .addOption(
      new Flag('--nats-creds <file>', 'Credentials file of a NATS user').rare().helpsWith({
        'nats-unauthorized': 'pass --nats-creds or --nats-nkey with the file of a user who may use JetStream',
        'nats-credentials':
          'pass the .creds file of a user to --nats-creds, or a file with an nkey seed to --nats-nkey',
      }),
    )
    .addOption(new Flag('--nats-nkey <file>', 'File with the nkey seed of a user').rare())
    .addOption(new Flag('--nats-ca <file>', 'Certificate authority of the server').rare())
    .addOption(new Flag('--nats-cert <file>', 'Client certificate').rare())
    .addOption(new Flag('--nats-key <file>', 'Private key of the client certificate').rare())
}

export type CredentialFlags = OptionsOf<typeof withCredentialFlags<[], NoOptions>>

/** Names of the options of `withCredentialFlags`. */
export const credentialOptions = ['natsCreds', 'natsNkey', 'natsCa', 'natsCert', 'natsKey'] as const

/** Returns the options of a connection: files from flags or the environment, names and passwords only from there. */
export function connectionOptions(
  servers: readonly string[],
  flags: CredentialFlags,
  { env, resolve, options }: Context,
): Omit<BrokerOptions, 'name' | 'stream' | 'keepMs' | 'maxBytes'> {
  const file = (fileArg: string | undefined, variable: string) => {
    const path = fileArg ?? env[variable]
    return path === undefined || path === '' ? undefined : resolve(path)
  }
  const { NATS_USER: name, NATS_PASSWORD: password } = env
  return {
    servers,
    creds: file(flags.natsCreds, 'NATS_CREDS'),
    nkey: file(flags.natsNkey, 'NATS_NKEY'),
    ca: file(flags.natsCa, 'NATS_CA'),
    cert: file(flags.natsCert, 'NATS_CERT'),
    key: file(flags.natsKey, 'NATS_KEY'),
    user: name && password ? { name, password } : undefined,
    timeoutMs: options.timeout ?? 10_000,
  }
}

/** Parses the URL of a NATS server. @throws InvalidArgumentError, which never shows a password */
export function parseNatsUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw new InvalidArgumentError(`It is not a valid URL. ${expectedUrl}`)
  if (!/^(?:nats|tls):$/.test(url.protocol))
    throw new InvalidArgumentError(`Its scheme is not supported. ${expectedUrl}`)
  if (url.hostname === '') throw new InvalidArgumentError(`It has no host name. ${expectedUrl}`)
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError(
      'It contains credentials. Remove them, and pass --nats-creds or --nats-nkey, or set NATS_USER and NATS_PASSWORD.',
    )
  return `${url.protocol}//${url.host}`
}

const expectedUrl = 'Use a URL such as nats://127.0.0.1:4222 or tls://nats.example.com.'

/** Collects URLs of NATS servers, also several in one value. */
export function collectNatsUrl(text: string, collected: readonly string[] = []): string[] {
  return [...collected, ...text.split(',').map(url => parseNatsUrl(url.trim()))]
}

/** Names are parts of subjects, keys in buckets, and folders. */
export function parseBrokerName(name: string): string {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name))
    throw new InvalidArgumentError('Use up to 64 letters, digits, - and _.')
  return name
}

/** @throws CallyardError `usage` if NATS_URL has no servers */
export function serversOf(variable: string | undefined): string[] {
  if (variable === undefined || variable === '')
    throw new CallyardError('usage', '--nats is missing', {
      hint: 'pass the URL of a NATS server, such as --nats nats://127.0.0.1:4222, or set NATS_URL',
      details: { missing: ['--nats'] },
    })
  try {
    return collectNatsUrl(variable)
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    throw new CallyardError('usage', 'NATS_URL is not the URL of a NATS server', { hint: error.message })
  }
}
