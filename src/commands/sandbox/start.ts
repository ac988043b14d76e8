import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import { parsePort } from '../../cli/flags/option-parsers.ts'
import { withServiceFlags } from './flags.ts'

export const sandboxStartCommand = defineCommand({
  description: 'Start the service, save it as a profile, and log what happens',
  examples: [
    'callwright sandbox start',
    'callwright sandbox start --fault duplicate=0.5,reorder,delay --seed 7',
  ],
  topics: ['sandbox', 'sandbox-replies', 'sandbox-fields', 'sandbox-faults', 'sandbox-control'],
  flags: withFlags,
  run: async (options, context) => (await import('./run-sandbox.ts')).serveSandbox(options, context),
  endsItself: () => true,
})

function withFlags(command: Command) {
  return withServiceFlags(
    command
      .option('--host <address>', 'Loopback address to listen on', '127.0.0.1')
      .option('--port <number>', 'Port to listen on; 0 picks a free one', parsePort, 4010)
      .option('--data <file>', 'Keep records here (default: the configuration folder)')
      .addOption(new Option('--memory', 'Keep no records').conflicts('data'))
      .option('--save-profile <name>', 'Profile while it runs (default: sandbox)')
      .option('--seed-project <folder>', 'Begin with the resources of this project'),
  )
}

export type StartOptions = OptionsOf<typeof withFlags>
