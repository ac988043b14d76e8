import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { FlagNeeds } from '../../../cli/cli-command.ts'
import { Flag, type NoOptions, type OptionsOf } from '../../../cli/flags/flag.ts'
import { collectNatsUrl, credentialOptions, withCredentialFlags } from '../../webhook/broker-flags.ts'

/** Adds the flags of a batch that runners on several machines share. Those for credentials are in the help topic `relay`. */
export function withQueueFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  const shared = command
    .optionsGroup('SEVERAL MACHINES')
    .addOption(
      new Flag('--queue <url>', 'Share the batch at this NATS server').secret().repeatable(collectNatsUrl),
    )
  return withCredentialFlags(shared, { isHidden: true })
}

export type QueueFlags = OptionsOf<typeof withQueueFlags<[], NoOptions>>

/** Options that require --queue. */
export const queueNeeds = { queue: credentialOptions } satisfies FlagNeeds<keyof QueueFlags>
