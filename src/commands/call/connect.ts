import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import { directions } from '../../interface/words.ts'
import { placeCallNeeds, withPlaceCallFlags } from './flags.ts'

export const callConnectCommand = defineCommand({
  description: 'Call a customer by phone number id',
  examples: [
    'callwright call connect --phone-number-id pn_1 --to +12025550123 --customer-name Ada',
    'callwright call connect --phone-number-id pn_1 --to +12025550123 --metadata order=7 --json | jq -r .id',
  ],
  topics: ['follow', 'tunnels'],
  flags: withConnectFlags,
  needs: placeCallNeeds,
  run: async (options, context) => (await import('./forms.ts')).connectCall(options, context),
  endsItself: ({ follow }) => follow === true,
})

function withConnectFlags(command: Command) {
  return withPlaceCallFlags(
    command
      .option('--phone-number-id <id>', 'Id of the phone number that calls')
      .option('--to <number>', 'Number of the customer, as +12025550123')
      .option('--customer-name <name>', 'Name of the customer')
      .addOption(
        new Option('--direction <direction>', 'Direction of the call')
          .choices(directions)
          .default('outbound'),
      ),
  )
}

export type ConnectCallOptions = OptionsOf<typeof withConnectFlags>
