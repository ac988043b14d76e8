import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { FlagNeeds } from '../../shell/cli-command.ts'
import {
  Flag,
  type NoOptions,
  type OptionsOf,
  portHints,
  withFileFlags,
  withTargetFlag,
  yesFlag,
} from '../../shell/flags/flag.ts'
import {
  collectMetadata,
  collectVariable,
  parseDuration,
  parsePort,
} from '../../shell/flags/option-parsers.ts'
import { recordFlag, withExposureFlags, withFormatFlags } from '../webhook/flags.ts'

export const assistantHints = {
  'not-followable':
    'pass --assistant <file>, or its name in the project; its assistantServer is set for this call only',
}

export const assistantIdHints = {
  'no-such-resource': ({ near, mayBeFile }: { near?: string; mayBeFile: boolean }, hint: string) =>
    [hint, mayBeFile ? 'pass an id of the service with --assistant-id' : '']
      .filter(part => part !== '')
      .join(near === undefined ? '; ' : ' Or: '),
}

/** Adds the flags that `call start` and `call connect` share. */
export function withPlaceCallFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  const assistant = command
    .addOption(
      new Flag('--assistant <file|name>', 'Assistant file to send inline, or name or id of a deployed one')
        .helpsWith(assistantHints)
        .completes('assistant', 'files'),
    )
    .addOption(
      new Flag('--assistant-id <id>', 'Id of a deployed assistant (default: assigned to the number)')
        .helpsWith(assistantIdHints)
        .completes('assistant-id'),
    )
    .addOption(
      new Flag('--var <name=value>', 'Value for {{name}} in prompts and messages').repeatable(
        collectVariable,
      ),
    )
    .addOption(new Flag('--metadata <key=value>', 'Custom data, as JSON or text').repeatable(collectMetadata))
    .addOption(new Flag('--overrides <file>', 'YAML or JSON file of assistant overrides').rare())
  const placing = withFileFlags(
    withTargetFlag(assistant).addOption(
      new Flag('--allow-any-number', 'Allow numbers that are not E.164').rare(),
    ),
  )
    .addOption(yesFlag('Place the call without confirmation'))
    .addOption(
      new Flag('--despite-opt-out', 'Call a number that is in do-not-call.csv of the project').rare(),
    )
    .option('--no-log', 'Do not record the call in the call log')
    .option('--dry-run', 'Print the request without sending it')
    .addOption(new Flag('--show-secrets', 'Show values from the environment in --dry-run').rare())
  return withFollowFlags(placing)
}

/** Were `--follow` forgotten, a phone would ring and the call would not be shown. */
export const placeCallNeeds = {
  dryRun: ['showSecrets'],
  follow: ['port', 'eventTimeout', 'record', 'tunnel', 'tunnelUrl', 'publicUrl', 'compact', 'timestamps'],
  tunnel: ['tunnelUrl'],
} satisfies FlagNeeds<keyof PlaceCallOptions>

export type PlaceCallOptions = OptionsOf<typeof withPlaceCallFlags<[], NoOptions>>

/** Shows a call while it lasts. */
function withFollowFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withFormatFlags(
    withExposureFlags(
      command
        .optionsGroup('FOLLOWING THE CALL')
        .option('--follow', 'Show the conversation until the call ends')
        .addOption(
          new Flag('--port <number>', 'Port to listen on (default: any free port)')
            .helpsWith(portHints)
            .argParser(parsePort),
        )
        .addOption(
          new Flag('--event-timeout <duration>', 'Time to wait for the first event (default: 60s)')
            .rare()
            .argParser(parseDuration),
        )
        .addOption(recordFlag('Append the events of the call to a file')),
    ),
  )
}

export type FollowOptions = OptionsOf<typeof withFollowFlags<[], NoOptions>>
