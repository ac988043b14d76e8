import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { FileOptions } from './file-flags.ts'
import type { NoOptions, OptionsOf } from './flag.ts'
import { parseDuration } from './option-parsers.ts'

/** The flags that every command takes, before or after its name. */
export function withGlobalFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--profile <name>', 'Use this profile')
    .option('--base-url <url>', 'Send requests here')
    .option('--json', 'Print JSON on stdout and nothing else')
    .option('--quiet', 'Print no progress and no notes')
    .option('--debug', 'Log requests and answers to stderr, without secrets')
    .option('--no-input', 'Never ask: fail, and name the flag to give instead')
    .option('--no-color', 'Print without colour')
    .option('--timeout <duration>', 'Limit for one request, such as 500ms, 30s or 2m', parseDuration)
}

/** What they say, `timeout` in milliseconds; `allowOutside` is of the commands that read files alone. */
export type GlobalOptions = Partial<
  OptionsOf<typeof withGlobalFlags<[], NoOptions>> & Pick<FileOptions, 'allowOutside'>
>
