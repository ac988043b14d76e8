import type { Command, OptionValues } from '@commander-js/extra-typings'
import { Flag, type NoOptions, type OptionsOf } from '../../shell/flags/flag.ts'
import { collectId } from '../webhook/flags.ts'

/** Options of commands that create files from recorded calls, which are kept and shared. */
export function withRedactFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--redact', 'Replace names, phone numbers, addresses and long numbers')
    .addOption(new Flag('--redact-also <text>', 'Also replace this name or word').repeatable(collectId))
}

export type RedactOptions = OptionsOf<typeof withRedactFlags<[], NoOptions>>
