import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { NamesOptions } from '../../../../relay/index.ts'
import type { Context } from '../../../shell/context.ts'
import { Flag, type NoOptions, type OptionsOf } from '../../../shell/flags/flag.ts'
import {
  collectNatsUrl,
  connectionOptions,
  parseBrokerName,
  serversOf,
  withCredentialFlags,
} from '../broker-flags.ts'

/** Adds the flags that select a stream. */
export function withNamesFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withCredentialFlags(
    command
      .addOption(
        new Flag('--nats <url>', 'NATS server, such as nats://host:4222').secret().repeatable(collectNatsUrl),
      )
      .option('--stream <name>', 'Stream of the relay', parseBrokerName, 'calls'),
  )
}

type NamesFlags = OptionsOf<typeof withNamesFlags<[], NoOptions>>

/** @throws CallyardError `usage` without a server */
export function namesOptions(flags: NamesFlags, context: Context): NamesOptions {
  return {
    ...connectionOptions(flags.nats ?? serversOf(context.env.NATS_URL), flags, context),
    stream: flags.stream,
  }
}
